import { Link } from '@tanstack/react-router';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Facts, PageLayout, Section } from '../../components/layout.tsx';
import { Loaded, Loading } from '../../components/state.tsx';
import { Count, Time } from '../../components/values.tsx';
import { useInbox } from '../threads/use-inbox.ts';
import styles from './home.module.css';
import { Minutes } from './minutes.tsx';
import { Projects } from './projects.tsx';
import { Rejected } from './rejected.tsx';
import { Saved, UnreadThreads } from './saved.tsx';
import { SetUp } from './set-up.tsx';
import { ToApprove } from './to-approve.tsx';

const REFRESH_MS = 10_000;

export function Page() {
  const { project, may } = usePlace();
  // Threads that wait for the person come first. The rest would move if it were shown earlier.
  const { isLoading } = useInbox();
  return (
    <PageLayout
      title={project.name}
      actions={
        may('insights.read') ? (
          <CopyAs call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/arrival` }} />
        ) : undefined
      }
    >
      {may('insights.read') ? <Arrival /> : null}
      {isLoading ? <Loading /> : <Rest />}
    </PageLayout>
  );
}

function Rest() {
  const { project, company, may } = usePlace();
  return (
    <>
      <ToApprove />
      <UnreadThreads />
      {may('directory.read') ? <Saved /> : null}
      <Section title={t('Project')}>
        <Facts
          facts={[
            [t('Company'), company.name],
            [t('Your role'), <Badge key="role">{company.role}</Badge>],
            [t('Region'), project.region],
            [t('Project id'), <code key="id">{project.id}</code>],
          ]}
        />
      </Section>
      <Projects />
    </>
  );
}

/** Whether data arrives, and the steps of a project that has none. */
function Arrival() {
  const { project, may, pathOf } = usePlace();
  const params = { projectId: project.id };
  const query = useCall(
    ['getArrival', project.id],
    (client, options) => client.call('getArrival', { params }, options),
    { refreshMs: REFRESH_MS },
  );
  return (
    <Loaded query={query} loading={<Loading rows={8} />}>
      {({ lastSeenAt, minutes, sdks }) => (
        <>
          <Section title={t('Data')}>
            <Facts
              facts={[
                [
                  t('Last event or call'),
                  lastSeenAt === null ? t('None has arrived.') : <Time key="last" at={lastSeenAt} />,
                ],
                [
                  t('Events in the last hour'),
                  minutes.length === 0 ? (
                    t('Too many to count here.')
                  ) : (
                    <Count key="hour" value={minutes.reduce((sum, { events }) => sum + events, 0)} />
                  ),
                ],
                [
                  t('SDKs'),
                  sdks.length === 0
                    ? '–'
                    : sdks.map(({ name, version }) => `${name} ${version}`.trim()).join(', '),
                ],
              ]}
            />
            <Minutes minutes={minutes} />
            {may('events.read') ? (
              <p className={styles['link']}>
                <Link to={pathOf('/events')}>{t('See events as they arrive')}</Link>
              </p>
            ) : null}
          </Section>
          <Rejected />
          <SetUp hasData={lastSeenAt !== null} hasSdk={sdks.length > 0} />
        </>
      )}
    </Loaded>
  );
}
