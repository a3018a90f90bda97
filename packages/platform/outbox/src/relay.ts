import { type Db, type Tx, tryLock } from '@switchboard/database';
import {
  type EventLog,
  type FailureLog,
  type OutgoingRecord,
  type Published,
  partitionFor,
  publishInOrder,
  type TopicSpec,
} from '@switchboard/event-log';
import { lookInterval, pause } from '@switchboard/resilience';
import { sql } from 'drizzle-orm';
import type { OffsetsTable } from './schema.ts';

/** The changes that wait to be published. */
export interface OutboxSource<T> {
  /** Returns the changes that have waited longest, oldest first. */
  oldest(limit: number): Promise<T[]>;
  /** Marks changes as published. Rows that have changed again keep waiting. */
  markPublished(changes: readonly T[]): Promise<void>;
}

/** The rows that a topic must hold. Without them, a lost topic stays empty until the next change. */
export interface Republication {
  /** Where the relay keeps the offset after the last record of each partition. */
  offsets: OffsetsTable;
  /** Marks every row for publishing. Returns the number of rows. */
  publishAll(tx: Tx): Promise<number>;
}

export interface RelayLogger extends FailureLog {
  warn(fields: object, message: string): void;
}

/** The options that every publisher of an outbox has. */
export interface PublisherOptions {
  db: Db;
  log: EventLog;
  /** The replication factor of the topic. */
  replication: number;
  logger: RelayLogger;
}

interface RelayOptions<T> {
  db: Db;
  log: Pick<EventLog, 'createTopics' | 'endOffsets' | 'publish' | 'bytesInFlight'>;
  /** Created if it does not exist. */
  topic: TopicSpec;
  source(db: Db | Tx): OutboxSource<T>;
  republication?: Republication;
  recordOf(change: T, partitions: number): OutgoingRecord;
  /** The number of changes that are read and sent together. */
  batchSize: number;
  /** Subscribes to new changes, so that they are published at once. Without it, the relay polls. */
  listen?(wake: () => void): Promise<{ stop(): Promise<void> }>;
  /** The time between two polls, while there were changes lately. Default: 500. */
  everyMs?: number;
  logger: RelayLogger;
}

/** Publishes an outbox in the background. */
export interface Relay {
  /** Returns at once. */
  start(): void;
  /** Publishes new changes after a moment, without waiting for the next poll. */
  wake(): void;
  /** Waits for records that are being published. */
  stop(): Promise<void>;
}

type Offsets = ReadonlyMap<number, bigint>;

/** Polls are also needed with `listen` and `wake`, because the instance that publishes may have been killed. */
const EVERY_MS = 500;
/** The time from a call of `wake`, in which further changes gather, to their publishing. */
const GATHER_MS = 200;
/** A reader that was offline for longer reads the topic from its start. */
const TOMBSTONE_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
const OCCURRENCE_RETENTION_MS = 7 * 24 * 60 * 60 * 1000;
const OCCURRENCE_PARTITIONS = 4;

/** Returns the settings of a compacted topic of one partition, without a topic of dead letters. */
export function compactedTopic(name: string, replication: number): TopicSpec {
  return {
    name,
    partitions: 1,
    replication,
    cleanup: 'compact',
    deadLetter: false,
    tombstoneRetentionMs: TOMBSTONE_RETENTION_MS,
  };
}

/** Returns the settings of a topic of occurrences, which consumers read within seven days. */
export function occurrencesTopic(name: string, replication: number): TopicSpec {
  return {
    name,
    partitions: OCCURRENCE_PARTITIONS,
    replication,
    cleanup: 'delete',
    retentionMs: OCCURRENCE_RETENTION_MS,
  };
}

/** Returns a JSON record in the partition of its key. */
export function jsonRecord(key: string, value: object, partitions: number): OutgoingRecord {
  const json = Buffer.from(JSON.stringify(value));
  return { partition: partitionFor(key, partitions), key, value: json, headers: {} };
}

/** Returns a record for a topic of one partition. */
export function toPartitionZero(key: string | null, value: Buffer | null): OutgoingRecord {
  return { partition: 0, key, value, headers: {} };
}

/**
 * Creates a relay that publishes the changes of a source in order, at least once. A lock ensures that one process
 * publishes at a time.
 *
 * With `republication`, a topic that is new, or that ends before the last published offset, gets every row again.
 * Checking for an empty topic would not detect a lost topic, because a recreated topic may already contain a record.
 */
export function createRelay<T>(options: RelayOptions<T>): Relay {
  const { db, log, topic, source, republication, recordOf, batchSize, everyMs = EVERY_MS, logger } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  let isTopicChecked = false;
  let wake = () => {};
  let gathering: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let listening: { stop(): Promise<void> } | undefined;

  async function run(): Promise<void> {
    const waitAfter = lookInterval(everyMs);
    while (!signal.aborted) {
      let hasFound = true;
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      try {
        listening ??= await options.listen?.(() => wake());
        if (!isTopicChecked) await log.createTopics([topic]);
        // Most looks find nothing: one statement shows that, where the transaction takes four.
        hasFound = (await source(db).oldest(1)).length > 0;
        let isMore = hasFound || !isTopicChecked;
        while (isMore && !signal.aborted) isMore = await db.transaction(publishNext);
      } catch (error) {
        isTopicChecked = false;
        if (!signal.aborted) logger.failed(`publish ${topic.name}`, error);
      }
      await Promise.race([woken, pause(waitAfter(hasFound), signal)]);
    }
  }

  /** Returns false if nothing is left to publish, or if another process publishes. */
  async function publishNext(tx: Tx): Promise<boolean> {
    if (!(await tryLock(tx, `publish ${topic.name}`))) return false;
    const outbox = source(tx);
    const changes = await outbox.oldest(batchSize);
    if (changes.length === 0 && isTopicChecked) return false;

    const ends = await log.endOffsets(topic.name);
    isTopicChecked = true;
    const expected = republication && (await readOffsets(tx, republication.offsets));
    if (republication && expected && (expected.size === 0 || isBehind(new Map(ends.entries()), expected))) {
      await publishAll(tx, republication, ends.length);
      return true;
    }
    if (changes.length === 0) return false;

    const records = changes.map((change) => recordOf(change, ends.length));
    const { first, next } = offsetsOf(records, await publishInOrder(log, topic.name, records, signal));
    await outbox.markPublished(changes);
    if (republication && expected) {
      // The topic was lost after its end was read.
      if (isBehind(first, expected)) {
        await publishAll(tx, republication, ends.length);
        return true;
      }
      await writeOffsets(tx, republication.offsets, next);
    }
    return changes.length === batchSize;
  }

  /** Marks every row for publishing, and expects nothing of the topic until they are published. */
  async function publishAll(tx: Tx, { offsets, publishAll: mark }: Republication, partitions: number) {
    const rows = await mark(tx);
    await writeOffsets(tx, offsets, new Map(Array.from({ length: partitions }, (_, index) => [index, 0n])));
    if (rows > 0)
      logger.warn({ topic: topic.name, rows }, 'topic is new or lost records, publishing every row');
  }

  return {
    start() {
      running ??= run();
    },
    wake() {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        wake();
      }, GATHER_MS).unref();
    },
    async stop() {
      stopping.abort();
      clearTimeout(gathering);
      await running;
      await listening?.stop();
    },
  };
}

async function readOffsets(tx: Tx, table: OffsetsTable): Promise<Offsets> {
  const rows = await tx.select().from(table);
  return new Map(rows.map(({ logPartition, nextOffset }) => [logPartition, nextOffset]));
}

async function writeOffsets(tx: Tx, table: OffsetsTable, offsets: Offsets): Promise<void> {
  await tx
    .insert(table)
    .values([...offsets].map(([logPartition, nextOffset]) => ({ logPartition, nextOffset })))
    .onConflictDoUpdate({ target: table.logPartition, set: { nextOffset: sql`excluded.next_offset` } });
}

/** Whether a partition of the topic ends before the last offset published to it. */
function isBehind(found: Offsets, expected: Offsets): boolean {
  return [...found].some(([partition, offset]) => offset < (expected.get(partition) ?? 0n));
}

/** Returns, for each partition, the offset of the first of these records and the offset after the last. */
function offsetsOf(records: OutgoingRecord[], published: Published) {
  const first = new Map<number, bigint>();
  const next = new Map<number, bigint>();
  for (const [index, { partition }] of records.entries()) {
    const offset = published.offsetOf(index);
    if (!first.has(partition)) first.set(partition, offset);
    next.set(partition, offset + 1n);
  }
  return { first, next };
}
