import { Link } from '@tanstack/react-router';
import { Pause, Play } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, buttonClass } from '../../components/button.tsx';
import { CopyAs, quoted } from '../../components/copy-as.tsx';
import { Filter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loading, Partial } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { Detail, Fate, FoundFate } from './detail.tsx';
import { type Live, type LiveEvent, useLiveEvents, usePaused } from './live.ts';
import { search } from './search.ts';

export function Page() {
  const { project, pathOf } = usePlace();
  const [{ name, person, open }, setSearch] = usePageSearch(search);
  const [isPaused, setPaused] = useState(false);
  const live = useLiveEvents({ projectId: project.id, name, person });
  const shown = usePaused(live, isPaused);
  const { events: accepted, archived, erased, skipped, isOpen, error } = shown;
  const { earlier, asOf } = useEarlierEvents({ name, person }, shown);
  const events = [...accepted, ...earlier.filter(({ distinctId }) => !erased.has(distinctId))].toSorted(
    lastReceivedFirst,
  );
  const isArchived = (event: LiveEvent) =>
    archived.has(event.eventId) || earlier.includes(event) || isBefore(event, live.openedAt, asOf);
  const opened = events.find(({ eventId }) => eventId === open);
  const toggle = isPaused ? t('Resume the stream') : t('Pause the stream');
  const filters = new URLSearchParams({
    ...(name !== undefined && { name }),
    ...(person !== undefined && { distinct_id: person }),
  });
  const path = `/v1/projects/${encodeURIComponent(project.id)}/live-events`;
  return (
    <PageLayout
      title={t('Live events')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: filters.size === 0 ? path : `${path}?${filters}` }}
            command={commandOf(project.id, filters)}
          />
          <Link to={pathOf('/dictionary')} className={buttonClass()}>
            {t('Open dictionary')}
          </Link>
          <Button
            keys="p"
            icon={isPaused ? Play : Pause}
            aria-pressed={isPaused}
            onClick={() => setPaused(!isPaused)}
          >
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
              columns={columns(open, isArchived)}
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

const CONDITIONS: Record<string, string> = {
  name: 'name = $name',
  distinct_id: 'person_id = (select any_value(person_id) from events where distinct_id = $distinct_id)',
};

/** Lists the archived events: the command has no stream. */
function commandOf(projectId: string, filters: URLSearchParams): string {
  const params = [...filters].map(([name, value]) => ` --param ${quoted(`${name}=${value}`)}`).join('');
  const where = [...filters.keys()].map((name) => CONDITIONS[name]).join(' and ');
  return `switchboard sql ${projectId} -${params} <<'SQL'
select received_at, name, distinct_id, properties
from events${where === '' ? '' : `\nwhere ${where}`}
order by received_at desc
limit ${EARLIER}
SQL`;
}

const EARLIER = 50;
/** How long, and how often, the archive is read for events that were accepted before the stream opened. */
const ARCHIVED_WITHIN_MS = 60_000;
const READ_EVERY_MS = 5_000;

/**
 * Returns the archived events that were accepted before the stream last opened, and the time before which the archive
 * has every event. A stream that opens again tells neither of the events that were archived while it was closed.
 */
function useEarlierEvents(
  { name, person }: { name: string | undefined; person: string | undefined },
  { events: accepted, archived, openedAt }: Live,
): { earlier: readonly LiveEvent[]; asOf: string } {
  const { project } = usePlace();
  const asOf = useRef('');
  const query = {
    limit: EARLIER,
    ...(name !== undefined && { name }),
    ...(person !== undefined && { distinct_id: person }),
  };
  const isIncomplete =
    openedAt === undefined ||
    Date.now() - Date.parse(openedAt) < ARCHIVED_WITHIN_MS ||
    accepted.some(
      (event) =>
        event.receivedAt < openedAt &&
        !archived.has(event.eventId) &&
        !isBefore(event, openedAt, asOf.current),
    );
  const { data, isPlaceholderData } = useCall(
    ['listEvents', project.id, query],
    (client, options) => client.call('listEvents', { params: { projectId: project.id }, query }, options),
    isIncomplete ? { refreshMs: READ_EVERY_MS } : {},
  );
  if (data !== undefined) asOf.current = data.asOf;
  const known = new Set(accepted.map(keyOf));
  const earlier = useMemo(
    () =>
      (isPlaceholderData ? [] : (data?.events ?? []))
        .filter(({ receivedAt }) => openedAt === undefined || receivedAt < openedAt)
        .map((event) => ({ ...event, omitted: false })),
    [data, isPlaceholderData, openedAt],
  ).filter(({ eventId }) => !known.has(eventId));
  return { earlier, asOf: asOf.current };
}

/** Whether an event was accepted before the stream opened, and before the time up to which all are archived. */
const isBefore = ({ receivedAt }: LiveEvent, openedAt: string | undefined, asOf: string) =>
  openedAt !== undefined && receivedAt < openedAt && receivedAt < asOf;

const lastReceivedFirst = (one: LiveEvent, other: LiveEvent) =>
  one.receivedAt === other.receivedAt ? 0 : one.receivedAt < other.receivedAt ? 1 : -1;

const keyOf = ({ eventId }: LiveEvent) => eventId;

const columns = (
  open: string | undefined,
  isArchived: (event: LiveEvent) => boolean,
): Column<LiveEvent>[] => [
  { title: t('Event'), cell: ({ name }) => name },
  { title: t('Person'), cell: ({ distinctId }) => distinctId, minor: true },
  {
    title: t('Status'),
    cell: (event) =>
      event.eventId === open ? (
        <FoundFate eventId={open} isArchived={isArchived(event)} />
      ) : (
        <Fate state={isArchived(event) ? 'archived' : 'accepted'} />
      ),
    width: '112px',
  },
  { title: t('Received'), cell: ({ receivedAt }) => <Time at={receivedAt} />, width: '112px' },
];
