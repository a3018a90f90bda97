import { isDeepStrictEqual } from 'node:util';
import type { Database, Tx } from '@switchboard/database';
import { type EventLog, type OutgoingRecord, publishInOrder, type TopicSpec } from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import type { Logger } from '../telemetry/logger.ts';

/** The changes of a table that wait to be published, seen from one transaction. */
export interface Unpublished<T> {
  /** Takes the publisher's lock until the transaction ends. Returns false if another process holds it. */
  lock(): Promise<boolean>;
  /** Returns the changes that have waited longest. */
  oldest(limit: number): Promise<T[]>;
  /** Marks changes as published. Rows that have changed again keep waiting. */
  markPublished(changes: readonly T[], nextOffset: bigint): Promise<void>;
  /** Returns the offset after the last published record; undefined before the first. */
  nextOffset(): Promise<bigint | undefined>;
  /** Marks every row for publishing, to a topic that is empty. Returns the number of rows. */
  publishAll(): Promise<number>;
}

interface PublisherOptions<T> {
  database: Pick<Database, 'drizzle'>;
  log: Pick<EventLog, 'createTopics' | 'endOffsets' | 'publish' | 'bytesInFlight'>;
  topic: string;
  /** The replication factor of the topic. */
  replication: number;
  unpublished(tx: Tx): Unpublished<T>;
  recordOf(change: T): Pick<OutgoingRecord, 'key' | 'value'>;
  /** The number of changes that are read and sent together. */
  batchSize: number;
  /**
   * Returns a record that summarizes the table; undefined for none now. It is published after all changes, and only
   * if it differs from the last one. Called before the table is read.
   */
  summary?(tx: Tx): Promise<Omit<OutgoingRecord, 'partition'> | undefined>;
  logger: Logger;
}

/** Publishes the changes of a table. */
export interface BackgroundPublisher {
  /** Returns at once. */
  start(): void;
  /** Waits for records that are being published. */
  stop(): Promise<void>;
}

const IDLE_MS = 500;
/** A reader that was offline for longer reads the topic from its start. */
const TOMBSTONE_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Creates a publisher that sends each change of a table to a compacted topic of one partition, in order, at least
 * once. A lock admits one process at a time. A topic that is new, or that ends before the last published offset, gets
 * every row again.
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

  /** Returns false if nothing is left to publish, or if another process publishes. */
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
