import type { Result } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Code, Id } from '../../components/code.tsx';
import { Facts, Section } from '../../components/layout.tsx';
import { Loaded, Partial } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import type { LiveEvent } from './live.ts';

const READ_EVERY_MS = 5_000;

export function Detail({ event, isArchived }: { event: LiveEvent; isArchived: boolean }) {
  const { may, pathOf } = usePlace();
  const { eventId, distinctId, sessionId, occurredAt, receivedAt, properties, context, omitted } = event;
  return (
    <>
      <Facts
        facts={[
          [t('Event id'), <Id key="id" value={eventId} name={t('event id')} />],
          [
            t('Person'),
            may('people.read') ? (
              <Link key="person" to={pathOf(`/people/${encodeURIComponent(distinctId)}`)}>
                {distinctId}
              </Link>
            ) : (
              distinctId
            ),
          ],
          ...(sessionId === null
            ? []
            : [[t('Session'), <Id key="session" value={sessionId} name={t('session id')} />] as const]),
          [t('Occurred'), <Time key="occurred" at={occurredAt} />],
          [t('Received'), <Time key="received" at={receivedAt} />],
          [t('Status'), <FoundFate key="fate" eventId={eventId} isArchived={isArchived} />],
        ]}
      />
      {omitted ? (
        <Partial text={t('Properties and context are larger than 16 kB. Read them with the API.')} />
      ) : null}
      {[[t('Properties'), properties] as const, [t('Context'), context] as const].map(([title, value]) =>
        value === null ? null : (
          <Section key={title} title={title}>
            <Code text={JSON.stringify(value, null, 2)} name={title} />
          </Section>
        ),
      )}
      <Section title={t('Archive')}>
        <Archive eventId={eventId} isArchived={isArchived} />
      </Section>
    </>
  );
}

/** Looks an event up in the archive, again and again until it has read the event. */
function useLookup(eventId: string, isArchived: boolean) {
  const { project } = usePlace();
  const params = { projectId: project.id, eventId };
  return useCall(
    ['findEvent', params, isArchived],
    (client, options) => client.call('findEvent', { params }, options),
    isArchived ? {} : { refreshMs: READ_EVERY_MS },
  );
}

/** Says where the archive has the event, or why it has not. */
function Archive({ eventId, isArchived }: { eventId: string; isArchived: boolean }) {
  const query = useLookup(eventId, isArchived);
  return (
    <Loaded query={query}>
      {({ state, archived, duplicates, deadLetters, unread }) => (
        <Facts
          facts={[
            [t('State'), stateText(state)],
            ...(archived === null ? [] : [[t('File'), archived.file] as const]),
            ...deadLetters.map(({ reason }) => [t('Not archived because'), reason] as const),
            ...(duplicates.length === 0 ? [] : [[t('Copies left out'), String(duplicates.length)] as const]),
            ...(unread === null ? [] : [[t('Records to read first'), String(unread.records)] as const]),
          ]}
        />
      )}
    </Loaded>
  );
}

type State = Result<'findEvent'>['state'];

/** The status of the open event. The archive tells if it was set aside; the stream does not. */
export function FoundFate({ eventId, isArchived }: { eventId: string; isArchived: boolean }) {
  const { data } = useLookup(eventId, isArchived);
  const known = isArchived ? 'archived' : 'accepted';
  return <Fate state={data?.state === 'dead_letter' ? data.state : known} />;
}

export function Fate({ state }: { state: 'accepted' | 'archived' | 'dead_letter' }) {
  if (state === 'dead_letter') return <Badge tone="danger">{t('Not archived')}</Badge>;
  return state === 'archived' ? <Badge tone="good">{t('Archived')}</Badge> : <Badge>{t('Accepted')}</Badge>;
}

function stateText(state: State): string {
  if (state === 'archived') return t('In a file of the archive');
  if (state === 'accepted') return t('Read by the archive, not in a file yet');
  if (state === 'dead_letter') return t('Set aside by the archive');
  return t('Not read by the archive yet');
}
