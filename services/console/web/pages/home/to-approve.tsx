import { Link } from '@tanstack/react-router';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Section } from '../../components/layout.tsx';
import { Time } from '../../components/values.tsx';
import { useNames, useRequests } from '../flag-requests/use-requests.ts';
import styles from './home.module.css';

/** The changes of flags that the person may approve, if there are any. */
export function ToApprove() {
  const { me, may, pathOf } = usePlace();
  const nameOf = useNames();
  const { query } = useRequests({ state: 'waiting', enabled: may('flags.write') });
  const waiting = (query.data ?? []).filter(
    ({ author, approvals }) => author !== me.sub && approvals.every(({ sub }) => sub !== me.sub),
  );
  if (waiting.length === 0) return null;
  return (
    <Section title={t('Waiting for your approval')}>
      <ul className={styles['links']}>
        {waiting.map(({ id, key, author, createdAt }) => (
          <li key={id}>
            <Link to={pathOf('/flag-requests')} search={{ open: id }}>
              {key}
            </Link>{' '}
            {author === null ? null : <>{nameOf(author)} · </>}
            <Time at={createdAt} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
