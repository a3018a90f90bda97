import { Link } from '@tanstack/react-router';
import { Pause, Play } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { useKeys } from '../../app/keys.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, buttonClass } from '../../components/button.tsx';
import { Code, Id } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter } from '../../components/field.tsx';
import { Bar, Facts, ListDetail, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, Loading, Partial } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { type LiveEvent, useLiveEvents, usePaused } from './live.ts';
import { search } from './search.ts';

export function Page() {
  const { project, pathOf } = usePlace();
  const [{ name, person, open }, setSearch] = usePageSearch(search);
  const [isPaused, setPaused] = useState(false);
  const live = useLiveEvents({ projectId: project.id, name, person });
  const { events: accepted, archived, erased, skipped, isOpen, error } = usePaused(live, isPaused);
  const earlier = useEarlierEvents({ name, person }, accepted).filter(
    ({ distinctId }) => !erased.has(distinctId),
  );
  const events = [...accepted, ...earlier];
  const isArchived = (event: LiveEvent) => archived.has(event.eventId) || earlier.includes(event);
  const opened = events.find(({ eventId }) => eventId === open);
  const toggle = isPaused ? t('Resume the stream') : t('Pause the stream');
  useKeys(
    useMemo(
      () => [{ keys: 'p', title: t('Pause or resume the stream'), run: () => setPaused((was) => !was) }],
      [],
    ),
  );
  const path = `/v1/projects/${encodeURIComponent(project.id)}/live-events`;
  return (
    <PageLayout
      title={t('Live events')}
      actions={
        <>
          <CopyAs call={{ method: 'GET', path }} />
          <Link to={pathOf('/dictionary')} className={buttonClass()}>
            {t('Open dictionary')}
          </Link>
          <Button icon={isPaused ? Play : Pause} aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
            {toggle}
          </Button>
        </>
      }
    >
      <Bar>
        <Filter label={t('Event')} value={name} onChange={(value) => setSearch({ name: value })} />
        <Filter label={t('Person')} value={person} onChange={(value) => setSearch({ person: value })} />
        <Badge tone={isOpen && !isPaused ? 'good' : 'plain'}>
          {isPaused ? t('Paused') : isOpen ? t('Live') : t('Connecting')}
        </Badge>
      </Bar>
      {error === undefined || isOpen ? null : <Failed error={error} />}
      {skipped === 0 ? null : (
        <Partial
          text={t(
            '{count, plural, one {# more event was accepted than} other {# more events were accepted than}} the stream shows. Filter it to see fewer.',
            { count: skipped },
          )}
        />
      )}
      <ListDetail
        list={
          events.length > 0 ? (
            <Table
              label={t('Live events')}
              columns={columns(isArchived)}
              rows={events}
              keyOf={keyOf}
              open={open}
              onOpen={({ eventId }) => setSearch({ open: eventId }, { push: true })}
            />
          ) : isOpen ? (
            <Empty text={t('Events appear here as they are accepted. None has arrived in the last 30 days.')}>
              <Link to={pathOf('/settings/keys')} className={buttonClass()}>
                {t('Show code that sends events')}
              </Link>
            </Empty>
          ) : error === undefined ? (
            <Loading />
          ) : null
        }
        detail={
          opened && {
            title: opened.name,
            content: <Detail key={opened.eventId} event={opened} isArchived={isArchived(opened)} />,
            onClose: () => setSearch({ open: undefined }),
          }
        }
      />
    </PageLayout>
  );
}

const EARLIER = 50;
/** How long, and how often, the archive is read for events that were accepted before the page was opened. */
const ARCHIVED_WITHIN_MS = 60_000;
const READ_EVERY_MS = 5_000;

/** Returns the archived events from before the page was opened, the newest first. */
function useEarlierEvents(
  { name, person }: { name: string | undefined; person: string | undefined },
  accepted: readonly LiveEvent[],
): readonly LiveEvent[] {
  const { project } = usePlace();
  const [openedAt] = useState(() => new Date().toISOString());
  const query = {
    limit: EARLIER,
    ...(name !== undefined && { name }),
    ...(person !== undefined && { distinct_id: person }),
  };
  const isIncomplete = Date.now() - Date.parse(openedAt) < ARCHIVED_WITHIN_MS;
  const { data, isPlaceholderData } = useCall(
    ['listEvents', project.id, query],
    (client, options) => client.call('listEvents', { params: { projectId: project.id }, query }, options),
    isIncomplete ? { refreshMs: READ_EVERY_MS } : {},
  );
  const known = new Set(accepted.map(keyOf));
  return useMemo(
    () =>
      (isPlaceholderData ? [] : (data?.events ?? []))
        .filter(({ receivedAt }) => receivedAt < openedAt)
        .map((event) => ({ ...event, omitted: false })),
    [data, isPlaceholderData, openedAt],
  ).filter(({ eventId }) => !known.has(eventId));
}

const keyOf = ({ eventId }: LiveEvent) => eventId;

const columns = (isArchived: (event: LiveEvent) => boolean): Column<LiveEvent>[] => [
  { title: t('Event'), cell: ({ name }) => name },
  { title: t('Person'), cell: ({ distinctId }) => distinctId, minor: true },
  {
    title: t('Status'),
    cell: (event) => <Fate isArchived={isArchived(event)} />,
    width: '112px',
  },
  { title: t('Received'), cell: ({ receivedAt }) => <Time at={receivedAt} />, width: '112px' },
];

const Fate = ({ isArchived }: { isArchived: boolean }) =>
  isArchived ? <Badge tone="good">{t('Archived')}</Badge> : <Badge>{t('Accepted')}</Badge>;

function Detail({ event, isArchived }: { event: LiveEvent; isArchived: boolean }) {
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
          [t('Status'), <Fate key="fate" isArchived={isArchived} />],
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

/** Says where the archive has the event, or why it has not. */
function Archive({ eventId, isArchived }: { eventId: string; isArchived: boolean }) {
  const { project } = usePlace();
  const params = { projectId: project.id, eventId };
  const query = useCall(['findEvent', params, isArchived], (client, options) =>
    client.call('findEvent', { params }, options),
  );
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

function stateText(state: 'accepted' | 'archived' | 'dead_letter' | 'not_seen'): string {
  if (state === 'archived') return t('In a file of the archive');
  if (state === 'accepted') return t('Read by the archive, not in a file yet');
  if (state === 'dead_letter') return t('Set aside by the archive');
  return t('Not read by the archive yet');
}
