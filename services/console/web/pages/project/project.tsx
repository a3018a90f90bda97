import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { CopyAs } from '../../components/copy-as.tsx';
import { PageLayout } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { Arrivals } from './arrivals.tsx';
import { DeleteProject } from './delete.tsx';
import { General } from './general.tsx';
import { Secrets } from './secrets.tsx';

/** The name, language and origins of the project, what arrives in it, its identity secrets, and its deletion. */
export function Page() {
  const { project, may } = usePlace();
  const query = useCall(['getProject', project.id], (client, options) =>
    client.call('getProject', { params: { projectId: project.id } }, options),
  );
  return (
    <PageLayout
      title={t('Project settings')}
      actions={
        <CopyAs
          call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}` }}
          command={`switchboard get project ${project.id}`}
        />
      }
    >
      <Loaded query={query}>{(found) => <General key={JSON.stringify(found)} project={found} />}</Loaded>
      {may('insights.read') ? <Arrivals /> : null}
      {may('secrets.write') ? <Secrets /> : null}
      <DeleteProject />
    </PageLayout>
  );
}
