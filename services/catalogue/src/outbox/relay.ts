import type { Database, Tx } from '@switchboard/database';
import { outgoingRecord } from '@switchboard/directory';
import {
  type EventLog,
  type OutgoingRecord,
  type Published,
  publishInOrder,
  type TopicSpec,
} from '@switchboard/event-log';
import { backoffDelay, pause } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import { enqueueAllEntries } from './republication.ts';
import { createOutboxStore, OUTBOX_CHANNEL, type PublishedOffsets } from './store.ts';

interface RelayOptions {
  database: Database;
  log: EventLog;
  /** The topic `directory`. Created if it does not exist. */
  topic: TopicSpec;
  logger: Logger;
}

export interface Relay {
  start(): Promise<void>;
  /** Waits for the current batch to be published. */
  stop(): Promise<void>;
}

const BATCH_SIZE = 500;
/** Milliseconds between polls of the outbox. Needed because the publishing instance may have been killed. */
const IDLE_MS = 1_000;

/**
 * Publishes the outbox to the topic `directory` in commit order and removes records once the log acknowledges
 * them. Delivery is at least once, and in order for each key. A lock ensures that one instance publishes at a
 * time.
 *
 * If the topic is new, or ends before the last published offset, every entry is published again. Checking for an
 * empty topic would not detect a lost topic, because a recreated topic may already contain a record.
 */
export function createRelay({ database, log, topic, logger }: RelayOptions): Relay {
  const stopping = new AbortController();
  let isTopicChecked = false;
  let wake = () => {};
  let running: Promise<void> | undefined;
  let listening: { stop(): Promise<void> } | undefined;

  async function run() {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      try {
        if (!isTopicChecked) await log.createTopics([topic]);
        const mayBeMore = await database.drizzle.transaction(publishNext);
        failures = 0;
        if (!mayBeMore) await Promise.race([woken, pause(IDLE_MS, stopping.signal)]);
      } catch (error) {
        isTopicChecked = false;
        logger.failed('publish directory changes', error);
        await pause(backoffDelay(failures++), stopping.signal);
      }
    }
  }

  /** Publishes one batch. Returns false when the outbox is empty or another instance is publishing. */
  async function publishNext(tx: Tx): Promise<boolean> {
    const outbox = createOutboxStore(tx);
    if (!(await outbox.lockRelay())) return false;
    const rows = await outbox.oldest(BATCH_SIZE);
    if (rows.length === 0 && isTopicChecked) return false;

    const expected = await outbox.publishedOffsets();
    const ends = await readEndOffsets();
    if (expected.size === 0 || isBehind(ends, expected)) {
      await republish(tx, ends.size);
      return true;
    }
    if (rows.length === 0) return false;

    const records = rows.map((row) => outgoingRecord(row, row.id, ends.size));
    const { first, next } = offsetsOf(
      records,
      await publishInOrder(log, topic.name, records, stopping.signal),
    );
    await outbox.remove(rows.map(({ id }) => id));
    if (isBehind(first, expected)) await republish(tx, ends.size);
    else await outbox.setPublishedOffsets(next);
    return true;
  }

  async function readEndOffsets(): Promise<PublishedOffsets> {
    const ends = await log.endOffsets(topic.name);
    isTopicChecked = true;
    return new Map(ends.map((end, partition) => [partition, end]));
  }

  /** Adds every entry to the outbox and resets the published offsets to 0 until these are published. */
  async function republish(tx: Tx, partitions: number) {
    const entries = await enqueueAllEntries(tx);
    const none = Array.from({ length: partitions }, (_, partition) => [partition, 0n] as const);
    await createOutboxStore(tx).setPublishedOffsets(new Map(none));
    if (entries > 0) logger.warn({ entries }, 'topic is new or lost records, publishing every entry');
  }

  return {
    async start() {
      listening ??= await database.listen(
        OUTBOX_CHANNEL,
        () => wake(),
        () => wake(),
      );
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
      await listening?.stop();
    },
  };
}

/** Whether a partition of the topic ends before the last offset published to it. */
function isBehind(found: PublishedOffsets, expected: PublishedOffsets): boolean {
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
