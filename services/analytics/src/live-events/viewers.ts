import { anyJson, type LiveEventsMessage, type StoredEvent } from '@switchboard/contracts';
import type { ErasedPerson } from '@switchboard/directory';
import type { StoredRecord } from '@switchboard/event-log';
import { z } from 'zod';
import { createRecentRecords } from './recent-records.ts';

/** The interval of messages. */
export const FLUSH_MS = 500;
/** The limit of events in a message. Others are counted. */
const MAX_EVENTS = 25;
/** Larger properties and contexts are left out, so that a message stays small. */
const MAX_EVENT_BYTES = 16_384;
/** The limit of a project's bytes to parse between two messages. Events beyond it are counted as skipped. */
const MAX_PARSED_BYTES = 1_000_000;
/** The limit of events of a viewer that wait to be archived. The oldest are forgotten. */
const MAX_WAITING = 1_000;

type Message = LiveEventsMessage;
type LiveEvent = Extract<Message, { type: 'events' }>['events'][number];

/** The events that a viewer wants. */
export interface Filter {
  name: string | undefined;
  /** The ids of a person; undefined for everyone. */
  ids: ReadonlySet<string> | undefined;
}

interface Waiting {
  eventId: string;
  partition: number;
  offset: bigint;
}

interface Receiver extends Filter {
  send(message: Message): void;
}

interface Viewer extends Receiver {
  events: LiveEvent[];
  skipped: number;
  waiting: Waiting[];
}

export interface Viewers {
  /**
   * Adds a viewer of a project, and sends it who is being erased, then the latest events that are not archived.
   * `offsets` are the ends of what the archive has read, by partition. Returns a function that removes the viewer.
   */
  add(projectId: string, receiver: Receiver, offsets: readonly bigint[]): () => void;
  /** Returns whether there are viewers. */
  hasAny(): boolean;
  /** Passes records of the topic `events` to the viewers of their projects. */
  take(records: readonly StoredRecord[]): void;
  /** Sends each viewer the events since the last call. */
  flush(): void;
  /** Returns whether viewers or kept records wait to be archived. */
  isWaiting(): boolean;
  /**
   * Tells viewers which events are archived, and drops the records that are. `offsets` are the ends of what the archive
   * has read, by partition.
   */
  archived(offsets: readonly bigint[]): void;
  /** Tells viewers who is being erased, and sends no events of these people from then on. */
  erase(people: readonly ErasedPerson[]): void;
  /** Drops the records that are kept for new viewers. */
  forget(): void;
}

/** Divides the records among viewers. The work for a project is bounded, whatever it sends and how many watch it. */
export function createViewers(): Viewers {
  const byProject = new Map<string, Set<Viewer>>();
  const parsedBytes = new Map<string, number>();
  const recent = createRecentRecords();
  /** The ids of people who are being erased, by project. */
  let erased = new Map<string, ReadonlySet<string>>();
  const all = () => [...byProject.values()].flatMap((viewers) => [...viewers]);

  function takeRecord(record: StoredRecord): void {
    const { headers, value } = record;
    const projectId = projectOf(record);
    if (value === null) return;
    const viewers = byProject.get(projectId);
    if (viewers === undefined) return;
    const parsed = (parsedBytes.get(projectId) ?? 0) + value.length;
    // Where every viewer has enough, or too much was parsed, events are counted by the header alone.
    const isCounted = parsed > MAX_PARSED_BYTES || [...viewers].every(isFull);
    if (isCounted) {
      for (const viewer of viewers) viewer.skipped += Number(headers['count'] ?? 1);
      return;
    }
    parsedBytes.set(projectId, parsed);
    for (const event of leftOf(projectId, record)) for (const viewer of viewers) offer(viewer, event, record);
  }

  /** Returns the events of a record without those of people who are being erased. */
  function leftOf(projectId: string, record: StoredRecord): LiveEvent[] {
    const ids = erased.get(projectId);
    const events = eventsOf(record);
    return ids === undefined ? events : events.filter(({ distinctId }) => !ids.has(distinctId));
  }

  return {
    add(projectId, receiver, offsets) {
      const viewer: Viewer = { ...receiver, events: [], skipped: 0, waiting: [] };
      const viewers = byProject.get(projectId) ?? new Set();
      byProject.set(projectId, viewers.add(viewer));
      // Those who watched another stream before may have their events.
      const ids = erased.get(projectId);
      if (ids !== undefined) viewer.send({ type: 'erased', distinctIds: [...ids] });
      const waiting = recent.of(projectId).filter((record) => !isArchived(record, offsets));
      sendRecent(
        viewer,
        waiting.flatMap((record) => leftOf(projectId, record).map((event) => ({ event, record }))),
      );
      return () => {
        viewers.delete(viewer);
        if (viewers.size === 0 && byProject.get(projectId) === viewers) byProject.delete(projectId);
      };
    },

    hasAny: () => byProject.size > 0,

    take(records) {
      const withValue = records.filter(({ value }) => value !== null);
      for (const [projectId, own] of Map.groupBy(withValue, projectOf)) recent.keep(projectId, own);
      withValue.forEach(takeRecord);
    },

    flush() {
      parsedBytes.clear();
      for (const viewer of all()) {
        const { events, skipped } = viewer;
        if (events.length === 0 && skipped === 0) continue;
        viewer.events = [];
        viewer.skipped = 0;
        viewer.send({ type: 'events', events, skipped });
      }
    },

    isWaiting: () => recent.hasAny() || all().some(({ waiting }) => waiting.length > 0),

    archived(offsets) {
      recent.drop((record) => isArchived(record, offsets));
      for (const viewer of all()) {
        const { done = [], left = [] } = Object.groupBy(viewer.waiting, (one) =>
          isArchived(one, offsets) ? 'done' : 'left',
        );
        viewer.waiting = left;
        if (done.length > 0) viewer.send({ type: 'archived', eventIds: done.map(({ eventId }) => eventId) });
      }
    },

    erase(people) {
      const before = erased;
      erased = new Map();
      for (const { projectId, distinctIds } of people)
        erased.set(projectId, new Set([...(erased.get(projectId) ?? []), ...distinctIds]));
      for (const [projectId, ids] of erased) {
        const added = [...ids].filter((id) => before.get(projectId)?.has(id) !== true);
        if (added.length === 0) continue;
        for (const viewer of byProject.get(projectId) ?? []) {
          viewer.events = viewer.events.filter(({ distinctId }) => !ids.has(distinctId));
          viewer.send({ type: 'erased', distinctIds: added });
        }
      }
    },

    forget: recent.clear,
  };
}

const isFull = ({ events, name, ids }: Viewer) =>
  events.length >= MAX_EVENTS && name === undefined && ids === undefined;

const projectOf = ({ headers }: StoredRecord) => headers['project'] ?? '';

type Position = Pick<Waiting, 'partition' | 'offset'>;

const isArchived = ({ partition, offset }: Position, offsets: readonly bigint[]) =>
  offset < (offsets[partition] ?? 0n);

const isWanted = ({ name, ids }: Filter, event: LiveEvent) =>
  (name === undefined || name === event.name) && (ids === undefined || ids.has(event.distinctId));

/** Sends the newest events of the records that the viewer wants. Later, all of them are in the archive. */
function sendRecent(viewer: Viewer, events: readonly { event: LiveEvent; record: StoredRecord }[]): void {
  const found = events.filter(({ event }) => isWanted(viewer, event)).slice(-MAX_EVENTS);
  if (found.length === 0) return;
  viewer.send({ type: 'events', events: found.map(({ event }) => event), skipped: 0 });
  for (const { event, record } of found) awaitArchive(viewer, event, record);
}

function offer(viewer: Viewer, event: LiveEvent, position: Position): void {
  if (!isWanted(viewer, event)) return;
  if (viewer.events.length >= MAX_EVENTS) {
    viewer.skipped += 1;
    return;
  }
  viewer.events.push(event);
  awaitArchive(viewer, event, position);
}

function awaitArchive({ waiting }: Viewer, { eventId }: LiveEvent, { partition, offset }: Position): void {
  waiting.push({ eventId, partition, offset });
  if (waiting.length > MAX_WAITING) waiting.shift();
}

/** Lenient, since the archive decides which events are valid. */
const rowSchema = z.object({
  event_id: z.string(),
  event_name: z.string(),
  distinct_id: z.string(),
  session_id: z.string().nullish(),
  occurred_at: z.string(),
  properties: anyJson.optional(),
  context: anyJson.optional(),
});

function eventsOf({ value, headers }: StoredRecord): LiveEvent[] {
  const lines = value?.toString().split('\n') ?? [];
  return lines.flatMap((line) => parseLine(line, headers['received_at'] ?? '') ?? []);
}

function parseLine(line: string, receivedAt: string): LiveEvent | undefined {
  const row = rowSchema.safeParse(parseJson(line)).data;
  if (row === undefined) return undefined;
  const omitted = line.length > MAX_EVENT_BYTES;
  const known: Omit<StoredEvent, 'properties' | 'context'> = {
    eventId: row.event_id,
    name: row.event_name,
    distinctId: row.distinct_id,
    sessionId: row.session_id ?? null,
    occurredAt: row.occurred_at,
    receivedAt,
  };
  if (omitted) return { ...known, properties: null, context: null, omitted };
  return { ...known, properties: row.properties ?? null, context: row.context ?? null, omitted };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
