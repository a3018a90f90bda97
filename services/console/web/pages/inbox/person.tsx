import type { OperatorConversation } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Facts, Section } from '../../components/layout.tsx';
import { Time } from '../../components/values.tsx';
import { nameOf } from '../people/columns.tsx';
import { PersonFlags } from '../person/flags.tsx';
import styles from './inbox.module.css';
import { titleOf } from './list.tsx';

interface PersonProps {
  distinctId: string;
  userId: string | null;
  userVerified: boolean;
  /** The address of the conversation, which nothing verifies. */
  email: string | undefined;
  /** The product that the conversation comes from. */
  importedFrom: OperatorConversation['importedFrom'];
  /** The open conversation, which is not listed among the earlier ones. */
  conversationId: string;
  onOpen: (id: string) => void;
}

const SHOWN = 8;
const PRODUCTS = { chatwoot: 'Chatwoot', intercom: 'Intercom' };

/** The person of a conversation: traits, events, flags, recordings and other conversations. */
export function PersonPane(props: PersonProps) {
  const { distinctId, userId, userVerified, email, importedFrom, conversationId, onOpen } = props;
  const { project, may, pathOf } = usePlace();
  const params = { projectId: project.id };
  const person = useCall(
    ['getPerson', project.id, distinctId],
    (client, options) => client.call('getPerson', { params: { ...params, distinctId } }, options),
    { enabled: may('people.read') },
  ).data;
  const recordings = useCall(
    ['listReplays', project.id, distinctId],
    (client, options) => client.call('listReplays', { params, query: { distinct_id: distinctId } }, options),
    { enabled: may('replays.read') },
  ).data;
  const others = useCall(['listConversations', project.id, { distinctId }], (client, options) =>
    client.call('listConversations', { params, query: { distinctId, limit: SHOWN + 1 } }, options),
  ).data;
  const earlier = others?.conversations.filter(({ id }) => id !== conversationId).slice(0, SHOWN) ?? [];
  const traits = Object.entries(person?.traits ?? {}).slice(0, SHOWN);
  return (
    <div className={styles['person']}>
      <h2>
        <Link to={pathOf(`/people/${encodeURIComponent(distinctId)}`)}>
          {person === undefined ? distinctId : nameOf(person)}
        </Link>
      </h2>
      <Facts
        facts={[
          [t('Distinct id'), distinctId],
          ...(userId === null
            ? []
            : [[t('User'), userVerified ? userId : t('{userId}, not verified', { userId })] as const]),
          ...(email === undefined
            ? []
            : [[t('Mail address'), t('{email}, not verified', { email })] as const]),
          ...(importedFrom == null ? [] : [[t('Imported from'), PRODUCTS[importedFrom]] as const]),
          ...traits.map(
            ([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const,
          ),
        ]}
      />
      <Section title={t('Earlier conversations')}>
        {earlier.length === 0 ? <p className={styles['muted']}>{t('None')}</p> : null}
        <ul>
          {earlier.map((one) => (
            <li key={one.id}>
              <button type="button" className={styles['earlier']} onClick={() => onOpen(one.id)}>
                <span>{one.lastTurn?.body || titleOf(one)}</span>
                <Time at={one.lastTurnAt} />
              </button>
            </li>
          ))}
        </ul>
      </Section>
      <Section title={t('Events')}>
        {person === undefined || person.events.length === 0 ? (
          <p className={styles['muted']}>{t('Nothing in the last 30 days.')}</p>
        ) : null}
        <ul>
          {person?.events.slice(0, SHOWN).map((event) => (
            <li key={event.eventId} className={styles['line']}>
              <span>{event.name}</span>
              <Time at={event.occurredAt} />
            </li>
          ))}
        </ul>
      </Section>
      <Section title={t('Recordings')}>
        {(recordings?.replays.length ?? 0) === 0 ? <p className={styles['muted']}>{t('None')}</p> : null}
        <ul>
          {recordings?.replays.slice(0, SHOWN).map(({ sessionId, firstAt }) => (
            <li key={sessionId} className={styles['line']}>
              <span>{sessionId}</span>
              <Time at={firstAt} />
            </li>
          ))}
        </ul>
      </Section>
      {person === undefined || !may('flags.read') ? null : <PersonFlags person={person} narrow />}
    </div>
  );
}
