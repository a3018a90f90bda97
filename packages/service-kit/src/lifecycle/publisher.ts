import { isDeepStrictEqual } from 'node:util';
import type { Database, Tx } from '@switchboard/database';
import { type EventLog, type OutgoingRecord, publishInOrder, type TopicSpec } from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import type { Logger } from '../telemetry/logger.ts';

/** The changes of a table that wait to be published, in one transaction. */
export interface Unpublished<T> {
  /** Takes the lock of the one that publishes until the transaction ends; false when another has it. */
  lock(): Promise<boolean>;
  /** Those that have waited longest. */
  oldest(limit: number): Promise<T[]>;
  /** What has changed again meanwhile keeps waiting. */
  markPublished(changes: readonly T[], nextOffset: bigint): Promise<void>;
  /** The offset after the last record published; undefined before the first. */
  nextOffset(): Promise<bigint | undefined>;
  /** Has every row published, to a topic that is empty, and returns how many there are. */
  publishAll(): Promise<number>;
}

interface PublisherOptions<T> {
  database: Pick<Database, 'drizzle'>;
  log: Pick<EventLog, 'createTopics' | 'endOffsets' | 'publish' | 'bytesInFlight'>;
  topic: string;
  /** Replicas of the topic. */
  replication: number;
  unpublished(tx: Tx): Unpublished<T>;
  recordOf(change: T): Pick<OutgoingRecord, 'key' | 'value'>;
  /** How many changes are read and sent together. */
  batchSize: number;
  /**
   * A record that says what is in the table, published once all of that is, and whenever it differs. Undefined: none
   * now. It is asked for before the table is read.
   */
  summary?(tx: Tx): Promise<Omit<OutgoingRecord, 'partition'> | undefined>;
  logger: Logger;
}

/** Publishes a table as it changes. */
export interface BackgroundPublisher {
  /** Returns at once. */
  start(): void;
  /** Lets records that are being published finish. */
  stop(): Promise<void>;
}

const IDLE_MS = 500;
/** A reader that was away for longer reads the topic from its start. */
const TOMBSTONE_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Publishes each change of a table to a compacted topic of one partition, in order, at least once. One process at a
 * time does so, under a lock. A topic that is new, or ends before what was published to it, gets every row again.
 */
export function createPublisher<T>(options: PublisherOptions<T>): BackgroundPublisher {
  const { database, log, topic, replication, unpublished, recordOf, batchSize, summary, logger } = options;
  const spec: TopicSpec = {
    name: topic,
    partitions: 1,
    replication,
    cleanup: 'compact',
    deadLetter: false,
    tombstoneRetentionMs: TOMBSTONE_RETENTION_MS,
  };
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isTopicChecked = false;
  let published: Omit<OutgoingRecord, 'partition'> | undefined;

  async function look(): Promise<void> {
    try {
      if (!isTopicChecked) await log.createTopics([spec]);
      while (!stopping.signal.aborted && (await database.drizzle.transaction(publishNext)));
    } catch (error) {
      isTopicChecked = false;
      throw error;
    }
  }

  /** False when nothing is left to publish, or another process publishes. */
  async function publishNext(tx: Tx): Promise<boolean> {
    const store = unpublished(tx);
    if (!(await store.lock())) return false;
    const known = await summary?.(tx);
    const changes = await store.oldest(batchSize);
    const isLast = changes.length < batchSize;
    const last = known !== undefined && isLast && !isDeepStrictEqual(known, published) ? [known] : [];
    if (changes.length + last.length === 0 && isTopicChecked) return false;
    const next = await store.nextOffset();
    const [end = 0n] = await log.endOffsets(topic);
    isTopicChecked = true;
    if (next === undefined || end < next) {
      const rows = await store.publishAll();
      published = undefined;
      if (rows > 0) logger.warn({ topic, rows }, 'topic is new or lost records, publishing every row');
      return true;
    }
    if (changes.length + last.length === 0) return false;
    const records = [...changes.map((change) => ({ ...recordOf(change), headers: {} })), ...last].map(
      (record) => ({ ...record, partition: 0 }),
    );
    const sent = await publishInOrder(log, topic, records, stopping.signal);
    await store.markPublished(changes, sent.offsetOf(records.length - 1) + 1n);
    if (last.length > 0) published = known;
    return !isLast;
  }

  return {
    start() {
      running ??= poll(look, {
        everyMs: IDLE_MS,
        signal: stopping.signal,
        onFailure: (error) => {
          if (!stopping.signal.aborted) logger.failed(`publish ${topic}`, error);
        },
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
