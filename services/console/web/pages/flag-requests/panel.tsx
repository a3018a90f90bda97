import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Section } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import styles from './flag-requests.module.css';
import { Request } from './request.tsx';
import { useRequests } from './use-requests.ts';

/** The change requests of a flag that wait. Nothing in a project that requires no approvals. */
export function FlagRequests({ flagKey }: { flagKey: string }) {
  const { project } = usePlace();
  const enabled = (project.flagApprovals ?? 0) > 0;
  const { query } = useRequests({ state: 'waiting', key: flagKey, enabled });
  if (query.error !== null) return <Failed error={query.error} />;
  if (!enabled || query.data === undefined || query.data.length === 0) return null;
  return (
    <Section title={t('Change requests')}>
      <ul aria-label={t('Change requests')} className={styles['requests']}>
        {query.data.map((request) => (
          <li key={request.id}>
            <Request request={request} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
