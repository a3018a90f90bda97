import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { orNone, PublicLink } from './public-link.tsx';

/** The public link of a report. */
export function ReportLink({ reportId }: { reportId: string }) {
  const { project, may } = usePlace();
  const params = { projectId: project.id, reportId };
  const key = ['getPublicLink', project.id, reportId];
  const query = useCall(key, (client, options) => orNone(client.call('getPublicLink', { params }, options)));
  const publish = useChange(
    (client, expiresOn: string) => client.call('putPublicLink', { params, body: { expiresOn } }),
    { refresh: [key] },
  );
  const remove = useChange((client, _: undefined) => client.call('deletePublicLink', { params }), {
    refresh: [key],
  });
  return (
    <PublicLink
      query={query}
      publish={publish}
      remove={remove}
      mayPublish={may('reports.publish')}
      none={t('Only members see this report.')}
    />
  );
}
