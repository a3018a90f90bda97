import { anyJson, type LiveEventsMessage, type StoredEvent } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import { z } from 'zod';

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

interface Viewer extends Filter {
  send(message: Message): void;
  events: LiveEvent[];
  skipped: number;
  waiting: Waiting[];
}

export interface Viewers {
  /** Adds a viewer of a project. Returns a function that removes it. */
  add(projectId: string, filter: Filter, send: (message: Message) => void): () => void;
  /** Returns whether there are viewers. */
  hasAny(): boolean;
  /** Passes records of the topic `events` to the viewers of their projects. */
  take(records: readonly StoredRecord[]): void;
  /** Sends each viewer the events since the last call. */
  flush(): void;
  /** Returns whether viewers wait for events to be archived. */
  isWaiting(): boolean;
  /** Tells viewers which events are archived. `offsets` are the ends of what the archive has read, by partition. */
  archived(offsets: readonly bigint[]): void;
}

/** Divides the records among viewers. The work for a project is bounded, whatever it sends and how many watch it. */
export function createViewers(): Viewers {
  const byProject = new Map<string, Set<Viewer>>();
  const parsedBytes = new Map<string, number>();
  const all = () => [...byProject.values()].flatMap((viewers) => [...viewers]);

  function takeRecord(record: StoredRecord): void {
    const { headers, value } = record;
    const projectId = headers['project'] ?? '';
    const viewers = byProject.get(projectId);
    if (viewers === undefined || value === null) return;
    const parsed = (parsedBytes.get(projectId) ?? 0) + value.length;
    // Where every viewer has enough, or too much was parsed, events are counted by the header alone.
    const isCounted = parsed > MAX_PARSED_BYTES || [...viewers].every(isFull);
    if (isCounted) {
      for (const viewer of viewers) viewer.skipped += Number(headers['count'] ?? 1);
      return;
    }
    parsedBytes.set(projectId, parsed);
    for (const line of value.toString().split('\n')) {
      const event = parseLine(line, headers['received_at'] ?? '');
      if (event !== undefined) for (const viewer of viewers) offer(viewer, event, record);
    }
  }

  return {
    add(projectId, filter, send) {
      const viewer: Viewer = { ...filter, send, events: [], skipped: 0, waiting: [] };
      const viewers = byProject.get(projectId) ?? new Set();
      byProject.set(projectId, viewers.add(viewer));
      return () => {
        viewers.delete(viewer);
        if (viewers.size === 0 && byProject.get(projectId) === viewers) byProject.delete(projectId);
      };
    },

    hasAny: () => byProject.size > 0,

    take: (records) => records.forEach(takeRecord),

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

    isWaiting: () => all().some(({ waiting }) => waiting.length > 0),

    archived(offsets) {
      for (const viewer of all()) {
        const isArchived = ({ partition, offset }: Waiting) => offset < (offsets[partition] ?? 0n);
        const { done = [], left = [] } = Object.groupBy(viewer.waiting, (one) =>
          isArchived(one) ? 'done' : 'left',
        );
        viewer.waiting = left;
        if (done.length > 0) viewer.send({ type: 'archived', eventIds: done.map(({ eventId }) => eventId) });
      }
    },
  };
}

const isFull = ({ events, name, ids }: Viewer) =>
  events.length >= MAX_EVENTS && name === undefined && ids === undefined;

function offer(viewer: Viewer, event: LiveEvent, { partition, offset }: StoredRecord): void {
  if (viewer.name !== undefined && viewer.name !== event.name) return;
  if (viewer.ids !== undefined && !viewer.ids.has(event.distinctId)) return;
  if (viewer.events.length >= MAX_EVENTS) {
    viewer.skipped += 1;
    return;
  }
  viewer.events.push(event);
  viewer.waiting.push({ eventId: event.eventId, partition, offset });
  if (viewer.waiting.length > MAX_WAITING) viewer.waiting.shift();
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
