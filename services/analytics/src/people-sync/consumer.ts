import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
} from '@switchboard/event-log';
import { createFairQueue } from '@switchboard/fairness';
import { pause } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import {
  decodeRecord,
  groupOf,
  InvalidRecord,
  positionAfter,
  USER_STATE_TOPICS,
} from '@switchboard/user-state';
import { type CopiedTable, GROUPS, type Key, PEOPLE } from '../clickhouse/people-store.ts';
import type { PeopleSync } from './people-sync.ts';
import type { PeopleSyncStore } from './store.ts';

/** The consumer group. Its committed offsets are the progress of copying people to ClickHouse. */
export const CLICKHOUSE_PEOPLE_GROUP = 'analytics.clickhouse-people';

/** The maximum number of rows per insert. */
const MAX_ROWS = 500;
/** The number of batches copied at a time, which bounds memory. */
const MAX_COPYING = 1;
const FETCH_BYTES = 256 * 1024;
const LOOK_MS = 100;
const PATIENCE_MS = 10_000;

interface ConsumerOptions {
  store: Pick<PeopleSyncStore, 'isApplied'>;
  peopleSync: Pick<PeopleSync, 'copy'>;
  log: Pick<EventLog, 'endOffsets' | 'consume'>;
  logger: Logger;
}

/**
 * Copies the people and groups named in `identifies` and `groups` to ClickHouse, once PostgreSQL has applied the
 * calls.
 */
export function createPeopleSyncConsumer({
  store,
  peopleSync,
  log,
  logger,
}: ConsumerOptions): BackgroundConsumer {
  const topics = USER_STATE_TOPICS;
  const copying = createFairQueue(MAX_COPYING);

  async function consume() {
    await Promise.all(topics.map((topic) => log.endOffsets(topic)));
    return log.consume({ group: CLICKHOUSE_PEOPLE_GROUP, topics, minFetchBytes: FETCH_BYTES, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    await untilApplied(batch);
    const { people, groups } = keysIn(batch);
    await copying(`${batch.topic}/${batch.partition}`, async () => {
      await copy(batch, PEOPLE, people);
      await copy(batch, GROUPS, groups);
    });
  }

  async function copy(batch: RecordBatch, table: CopiedTable, keys: readonly Key[]): Promise<void> {
    const [first] = batch.records;
    const { topic, partition, nextOffset } = batch;
    const block = `${topic}/${partition}/${first?.timestamp}/${first?.offset}-${nextOffset}`;
    for (let start = 0; start < keys.length; start += MAX_ROWS) {
      const some = keys.slice(start, start + MAX_ROWS);
      await peopleSync.copy(table, `${block}/${start}`, some, batch.signal);
    }
  }

  /** Waits until PostgreSQL has applied a batch. Throws if that takes too long: the batch is then retried later. */
  async function untilApplied(batch: RecordBatch): Promise<void> {
    const position = positionAfter(batch);
    const givesUpAt = performance.now() + PATIENCE_MS;
    while (performance.now() < givesUpAt) {
      if (await store.isApplied(position)) return;
      await pause(LOOK_MS, batch.signal);
      batch.signal.throwIfAborted();
    }
    throw new Error('the role `people` has not applied these calls yet');
  }

  return createConsumer({ consume, topics, logger });
}

/** Returns the keys of the people and groups that the records change. Unreadable records change nothing. */
function keysIn({ records }: RecordBatch): { people: Key[]; groups: Key[] } {
  const people = new Map<string, Key>();
  const groups = new Map<string, Key>();
  const add = (keys: Map<string, Key>, key: Key) => keys.set(JSON.stringify(key), key);
  for (const record of records) {
    const change = decoded(record);
    if (change === undefined) continue;
    add(people, [change.projectId, change.distinctId]);
    for (const { projectId, type, id } of groupOf(change)) add(groups, [projectId, type, id]);
  }
  return { people: [...people.values()], groups: [...groups.values()] };
}

function decoded(record: RecordBatch['records'][number]) {
  try {
    return decodeRecord(record);
  } catch (error) {
    if (error instanceof InvalidRecord) return undefined;
    throw error;
  }
}
