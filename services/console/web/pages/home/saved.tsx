import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Section } from '../../components/layout.tsx';
import { Empty, Loaded, NextStep } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { recentlyOpened } from '../report/recent.ts';
import { useInbox } from '../threads/use-inbox.ts';
import styles from './home.module.css';

const MAX_LINKS = 5;

/** The unread threads, if there are any. */
export function UnreadThreads() {
  const { pathOf } = usePlace();
  const { data } = useInbox();
  const unread = (data?.threads ?? []).filter((one) => one.unread);
  if (unread.length === 0) return null;
  return (
    <Section title={t('Unread threads')}>
      <ul className={styles['links']}>
        {unread.slice(0, MAX_LINKS).map(({ id, reportName, last }) => (
          <li key={id}>
            <Link to={pathOf('/threads')} search={{ open: id }}>
              {reportName}
            </Link>{' '}
            {last.authorName ?? t('A former colleague')}: {last.text} · <Time at={last.createdAt} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The dashboards and saved reports of the project. Reports that were opened here lately come first. */
export function Saved() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const dashboards = useCall(['home', 'listDashboards', project.id], (client, options) =>
    client.call('listDashboards', { params }, options),
  );
  const reports = useCall(['home', 'listReports', project.id], (client, options) =>
    client.call('listReports', { params }, options),
  );
  const recent = recentlyOpened(project.id);
  const placeOf = ({ id }: { id: string }) => {
    const at = recent.indexOf(id);
    return at < 0 ? recent.length : at;
  };
  return (
    <>
      <Section title={t('Dashboards')}>
        <Loaded query={dashboards}>
          {({ dashboards: found }) => (
            <Links page="/dashboards" entries={found}>
              <Empty text={t('The project has no dashboard.')}>
                <NextStep
                  page="/dashboards"
                  title={t('Create dashboard from a template')}
                  permission="reports.write"
                />
              </Empty>
            </Links>
          )}
        </Loaded>
      </Section>
      <Section title={t('Recent reports')}>
        <Loaded query={reports}>
          {({ reports: found }) => (
            <Links page="/reports" entries={[...found].sort((one, other) => placeOf(one) - placeOf(other))}>
              <Empty text={t('The project has no saved report.')}>
                <NextStep page="/insights" title={t('Build a report')} permission="reports.write" />
              </Empty>
            </Links>
          )}
        </Loaded>
      </Section>
    </>
  );
}

interface LinksProps {
  page: string;
  entries: readonly { id: string; name: string }[];
  /** Shown without entries. */
  children: ReactNode;
}

function Links({ page, entries, children }: LinksProps) {
  const { pathOf } = usePlace();
  if (entries.length === 0) return children;
  return (
    <ul className={styles['links']}>
      {entries.slice(0, MAX_LINKS).map(({ id, name }) => (
        <li key={id}>
          <Link to={pathOf(`${page}/${encodeURIComponent(id)}`)}>{name}</Link>
        </li>
      ))}
    </ul>
  );
}
