import { eventRow, identifyRecord, ingestionTopics } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { Seen, SeenStore } from './store.ts';

/** The consumer group that keeps when each distinct id was seen first and last. */
export const SEEN_GROUP = 'analytics.seen';
/** Its topics. */
export const SEEN_TOPICS = [ingestionTopics.events, ingestionTopics.identifies, ingestionTopics.groups];

const MINUTE_MS = 60_000;
const ROWS_PER_STATEMENT = 2_000;

interface ConsumerOptions {
  store: Pick<SeenStore, 'add'>;
  log: EventLog;
  logger: Logger;
}

/**
 * Keeps the minutes in which each distinct id was seen first and last. Ingestion creates the topics. Omits invalid
 * records, which other consumers put on the dead-letter topics.
 */
export function createSeenConsumer({ store, log, logger }: ConsumerOptions): BackgroundConsumer {
  async function handle({ records, topic, signal }: RecordBatch): Promise<void> {
    const read = topic === ingestionTopics.events ? seenInEvents : seenInCall;
    const seen = merged(records.flatMap(read));
    for (let start = 0; start < seen.length; start += ROWS_PER_STATEMENT) {
      signal.throwIfAborted();
      await store.add(seen.slice(start, start + ROWS_PER_STATEMENT));
    }
  }

  async function consume() {
    await Promise.all(SEEN_TOPICS.map((topic) => log.endOffsets(topic)));
    return log.consume({ group: SEEN_GROUP, topics: SEEN_TOPICS, handle });
  }

  return createConsumer({ consume, topics: SEEN_TOPICS, logger });
}

interface SeenAt {
  projectId: string;
  distinctId: string;
  /** Milliseconds since 1970. */
  at: number;
}

const eventLine = eventRow.pick({ distinct_id: true, occurred_at: true });
const call = identifyRecord.pick({ project_id: true, distinct_id: true, timestamp: true, received_at: true });

function seenInEvents({ value, headers }: StoredRecord): SeenAt[] {
  const projectId = headers['project'];
  const receivedAt = Date.parse(headers['received_at'] ?? '');
  if (value === null || !projectId || Number.isNaN(receivedAt)) return [];
  return value
    .toString()
    .split('\n')
    .flatMap((line) => {
      const event = eventLine.safeParse(parseJson(line)).data;
      if (event === undefined) return [];
      return seenAt(projectId, event.distinct_id, Date.parse(event.occurred_at), receivedAt);
    });
}

function seenInCall({ value }: StoredRecord): SeenAt[] {
  const found = call.safeParse(parseJson(String(value))).data;
  if (found === undefined) return [];
  const { project_id, distinct_id, timestamp, received_at } = found;
  return seenAt(project_id, distinct_id, Date.parse(timestamp), Date.parse(received_at));
}

/** A client's clock may be ahead, so no one is seen after the arrival. */
function seenAt(projectId: string, distinctId: string, clientTime: number, receivedAt: number): SeenAt[] {
  const at = Math.min(clientTime, receivedAt);
  return Number.isNaN(at) ? [] : [{ projectId, distinctId, at: Math.floor(at / MINUTE_MS) * MINUTE_MS }];
}

function merged(all: readonly SeenAt[]): Seen[] {
  const byProject = new Map<string, Map<string, Seen>>();
  for (const { projectId, distinctId, at } of all) {
    const ofProject = byProject.get(projectId) ?? new Map<string, Seen>();
    byProject.set(projectId, ofProject);
    const seen = ofProject.get(distinctId);
    if (seen === undefined) ofProject.set(distinctId, { projectId, distinctId, firstAt: at, lastAt: at });
    else {
      seen.firstAt = Math.min(seen.firstAt, at);
      seen.lastAt = Math.max(seen.lastAt, at);
    }
  }
  return [...byProject.values()].flatMap((ofProject) => [...ofProject.values()]);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
