import type { ChangeRequest } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Section } from '../../components/layout.tsx';
import { Time } from '../../components/values.tsx';
import { State } from '../flag-requests/request.tsx';
import { useRequests } from '../flag-requests/use-requests.ts';
import { useNames } from '../threads/members.ts';
import styles from './home.module.css';

/** The changes of flags that the person may approve, and the outcomes of theirs that they have not read. */
export function ToApprove() {
  const { me, may } = usePlace();
  const nameOf = useNames();
  const { query } = useRequests({ state: 'current', enabled: may('flags.write') });
  const waiting = (query.data ?? []).filter(
    ({ state, author, approvals }) =>
      state === 'waiting' && author !== me.sub && approvals.every(({ sub }) => sub !== me.sub),
  );
  const unread = (query.data ?? []).filter((one) => one.unread);
  return (
    <>
      {waiting.length === 0 ? null : (
        <Section title={t('Waiting for your approval')}>
          <ul className={styles['links']}>
            {waiting.map(({ author, createdAt, ...request }) => (
              <li key={request.id}>
                <Open request={request} /> {author === null ? null : <>{nameOf(author)} · </>}
                <Time at={createdAt} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {unread.length === 0 ? null : (
        <Section title={t('Your change requests')}>
          <ul className={styles['links']}>
            {unread.map((request) => (
              <li key={request.id}>
                <Open request={request} /> <State request={request} />{' '}
                <Time at={request.closed?.at ?? request.expiresAt} />
              </li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Open({ request: { id, key } }: { request: Pick<ChangeRequest, 'id' | 'key'> }) {
  const { pathOf } = usePlace();
  return (
    <Link to={pathOf('/flag-requests')} search={{ open: id }}>
      {key}
    </Link>
  );
}
