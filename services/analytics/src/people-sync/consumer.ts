import { PEOPLE_TOPIC, parsePersonKey } from '@switchboard/contracts';
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
import { type CopiedTable, GROUPS, type Key, PEOPLE, PERSON_IDS } from '../clickhouse/people-store.ts';
import type { PeopleSync } from './people-sync.ts';
import type { PeopleSyncStore } from './store.ts';

/** The consumer group. Its committed offsets are the progress of copying people to ClickHouse. */
export const CLICKHOUSE_PEOPLE_GROUP = 'analytics.clickhouse-people';

export const CLICKHOUSE_PEOPLE_TOPICS = [...USER_STATE_TOPICS, PEOPLE_TOPIC];

/** The maximum number of rows per insert. */
const MAX_ROWS = 500;
/** The number of batches copied at a time, which bounds memory. */
const MAX_COPYING = 1;
const FETCH_BYTES = 256 * 1024;
const LOOK_MS = 100;
const PATIENCE_MS = 10_000;

interface ConsumerOptions {
  store: Pick<PeopleSyncStore, 'isApplied'>;
  peopleSync: Pick<PeopleSync, 'copy' | 'withPersons'>;
  log: Pick<EventLog, 'endOffsets' | 'consume'>;
  logger: Logger;
}

/**
 * Copies the people, groups and ids named in `identifies`, `groups` and `people` to ClickHouse, once PostgreSQL has
 * applied the records.
 */
export function createPeopleSyncConsumer({
  store,
  peopleSync,
  log,
  logger,
}: ConsumerOptions): BackgroundConsumer {
  const topics = CLICKHOUSE_PEOPLE_TOPICS;
  const copying = createFairQueue(MAX_COPYING);

  async function consume() {
    await Promise.all(topics.map((topic) => log.endOffsets(topic)));
    return log.consume({ group: CLICKHOUSE_PEOPLE_GROUP, topics, minFetchBytes: FETCH_BYTES, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    await untilApplied(batch);
    const { people, groups, personIds } = keysIn(batch);
    await copying(`${batch.topic}/${batch.partition}`, async () => {
      // Before the ids, because ClickHouse then no longer knows the person to whom an id belonged.
      await copy(batch, PEOPLE, await peopleSync.withPersons([...people, ...personIds], batch.signal));
      await copy(batch, PERSON_IDS, personIds);
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

/** The keys of the rows that the records of a batch change. */
interface Changed {
  people: Key[];
  groups: Key[];
  personIds: Key[];
}

/** Unreadable records change nothing. */
function keysIn({ topic, records }: RecordBatch): Changed {
  if (topic === PEOPLE_TOPIC) {
    const named = records.flatMap(({ key }) => (key === null ? [] : (parsePersonKey(key) ?? [])));
    const personIds = new Map(
      named.map(({ projectId, distinctId }) => [`${projectId}\0${distinctId}`, [projectId, distinctId]]),
    );
    return { people: [], groups: [], personIds: [...personIds.values()] };
  }
  const people = new Map<string, Key>();
  const groups = new Map<string, Key>();
  const add = (keys: Map<string, Key>, key: Key) => keys.set(JSON.stringify(key), key);
  for (const record of records) {
    const change = decoded(record);
    if (change === undefined) continue;
    add(people, [change.projectId, change.distinctId]);
    for (const { projectId, type, id } of groupOf(change)) add(groups, [projectId, type, id]);
  }
  return { people: [...people.values()], groups: [...groups.values()], personIds: [] };
}

function decoded(record: RecordBatch['records'][number]) {
  try {
    return decodeRecord(record);
  } catch (error) {
    if (error instanceof InvalidRecord) return undefined;
    throw error;
  }
}
