import { eventRow, groupRecord, identifyRecord, ingestionTopics } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { Seen, SeenGroup, SeenStore } from './store.ts';

/** The consumer group that keeps when each distinct id was seen first and last. */
export const SEEN_GROUP = 'analytics.seen';
/** Its topics. */
export const SEEN_TOPICS = [ingestionTopics.events, ingestionTopics.identifies, ingestionTopics.groups];

const MINUTE_MS = 60_000;
/** The number of ids of which the process remembers the stored times, at about 200 bytes each. */
const REMEMBERED_IDS = 50_000;
const ROWS_PER_STATEMENT = 2_000;

interface ConsumerOptions {
  store: Pick<SeenStore, 'add' | 'addGroups'>;
  log: EventLog;
  logger: Logger;
}

/**
 * Keeps the minutes in which each distinct id and group was seen first and last. Ingestion creates the topics. Omits
 * invalid records, which other consumers put on the dead-letter topics.
 */
export function createSeenConsumer({ store, log, logger }: ConsumerOptions): BackgroundConsumer {
  // Most events are of a person and a minute that are stored already.
  const stored = new LRUCache<string, Seen>({ max: REMEMBERED_IDS });

  function isStored(seen: Seen): boolean {
    const known = stored.get(keyOf(seen));
    return known !== undefined && known.firstAt <= seen.firstAt && known.lastAt >= seen.lastAt;
  }

  function remember(seen: Seen): void {
    const { firstAt = seen.firstAt, lastAt = seen.lastAt } = stored.get(keyOf(seen)) ?? {};
    stored.set(keyOf(seen), {
      ...seen,
      firstAt: Math.min(firstAt, seen.firstAt),
      lastAt: Math.max(lastAt, seen.lastAt),
    });
  }

  async function handle({ records, topic, signal }: RecordBatch): Promise<void> {
    const read = topic === ingestionTopics.events ? seenInEvents : seenInCall;
    const ids = mergedIds(records.flatMap(read)).filter((one) => !isStored(one));
    await addAll(ids, addIds, signal);
    if (topic === ingestionTopics.groups)
      await addAll(mergedGroups(records.flatMap(groupInCall)), store.addGroups, signal);
  }

  async function addIds(ids: Seen[]): Promise<void> {
    await store.add(ids);
    for (const one of ids) remember(one);
  }

  async function addAll<T>(seen: T[], add: (seen: T[]) => Promise<void>, signal: AbortSignal) {
    for (let start = 0; start < seen.length; start += ROWS_PER_STATEMENT) {
      signal.throwIfAborted();
      await add(seen.slice(start, start + ROWS_PER_STATEMENT));
    }
  }

  async function consume() {
    await Promise.all(SEEN_TOPICS.map((topic) => log.endOffsets(topic)));
    return log.consume({ group: SEEN_GROUP, topics: SEEN_TOPICS, handle });
  }

  return createConsumer({ consume, topics: SEEN_TOPICS, logger });
}

interface At {
  projectId: string;
  /** Milliseconds since 1970. */
  at: number;
}
type IdAt = At & Pick<Seen, 'distinctId'>;
type GroupAt = At & Pick<SeenGroup, 'type' | 'id'>;

const eventLine = eventRow.pick({ distinct_id: true, occurred_at: true });
const times = { project_id: true, timestamp: true, received_at: true } as const;
const call = identifyRecord.pick({ ...times, distinct_id: true });
const groupCall = groupRecord.pick({ ...times, group_type: true, group_id: true });

function seenInEvents({ value, headers }: StoredRecord): IdAt[] {
  const projectId = headers['project'];
  const receivedAt = Date.parse(headers['received_at'] ?? '');
  if (value === null || !projectId || Number.isNaN(receivedAt)) return [];
  return value
    .toString()
    .split('\n')
    .flatMap((line) => {
      const event = readLine(line) ?? eventLine.safeParse(parseJson(line)).data;
      if (event === undefined) return [];
      const of = { projectId, distinctId: event.distinct_id };
      return seenAt(of, Date.parse(event.occurred_at), receivedAt);
    });
}

const ID_NAME = '"distinct_id"';
const ID_START = `${ID_NAME}:"`;
const TIME_START = ',"occurred_at":"';
const TIME_END = '"}';
const TIME_LENGTH = '2026-03-01T09:30:00.000Z'.length;

/**
 * Reads a line as ingestion writes it, with the time at its end, without parsing its properties. Returns undefined for
 * other lines, and for those with several members of the name.
 */
function readLine(line: string): z.infer<typeof eventLine> | undefined {
  const name = line.indexOf(ID_NAME);
  const start = name + ID_START.length;
  const end = line.indexOf('"', start);
  const timeStart = line.length - TIME_END.length - TIME_LENGTH;
  const isAsWritten =
    name >= 0 &&
    line.startsWith(ID_START, name) &&
    line.indexOf(ID_NAME, start) < 0 &&
    line.endsWith(TIME_END) &&
    line.startsWith(TIME_START, timeStart - TIME_START.length);
  const distinctId = line.slice(start, end);
  if (!isAsWritten || distinctId === '' || distinctId.includes('\\')) return undefined;
  return { distinct_id: distinctId, occurred_at: line.slice(timeStart, -TIME_END.length) };
}

function seenInCall({ value }: StoredRecord): IdAt[] {
  const found = call.safeParse(parseJson(String(value))).data;
  if (found === undefined) return [];
  const of = { projectId: found.project_id, distinctId: found.distinct_id };
  return seenAt(of, Date.parse(found.timestamp), Date.parse(found.received_at));
}

function groupInCall({ value }: StoredRecord): GroupAt[] {
  const found = groupCall.safeParse(parseJson(String(value))).data;
  if (found === undefined || found.group_id === null) return [];
  const of = { projectId: found.project_id, type: found.group_type, id: found.group_id };
  return seenAt(of, Date.parse(found.timestamp), Date.parse(found.received_at));
}

/** A client's clock may be ahead, so no one is seen after the arrival. */
function seenAt<T extends object>(of: T, clientTime: number, receivedAt: number): (T & { at: number })[] {
  const at = Math.min(clientTime, receivedAt);
  return Number.isNaN(at) ? [] : [{ ...of, at: Math.floor(at / MINUTE_MS) * MINUTE_MS }];
}

// Ids cannot contain NUL.
const mergedIds = (all: readonly IdAt[]): Seen[] =>
  merged(all, ({ projectId, distinctId }) => `${projectId}\0${distinctId}`);
const mergedGroups = (all: readonly GroupAt[]): SeenGroup[] =>
  merged(all, ({ projectId, type, id }) => `${projectId}\0${type}\0${id}`);

function merged<T extends { at: number }>(all: readonly T[], keyOf: (one: T) => string) {
  const seen = new Map<string, T & { firstAt: number; lastAt: number }>();
  for (const one of all) {
    const key = keyOf(one);
    const known = seen.get(key);
    if (known === undefined) seen.set(key, { ...one, firstAt: one.at, lastAt: one.at });
    else {
      known.firstAt = Math.min(known.firstAt, one.at);
      known.lastAt = Math.max(known.lastAt, one.at);
    }
  }
  return [...seen.values()];
}

// Ids cannot contain NUL.
const keyOf = ({ projectId, distinctId }: Seen) => `${projectId}\0${distinctId}`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
