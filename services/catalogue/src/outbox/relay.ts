import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@switchboard/database';
import { outgoingRecord } from '@switchboard/directory';
import type { EventLog, TopicSpec } from '@switchboard/event-log';
import { backoffDelay, type Logger } from '@switchboard/service-kit';
import { enqueueAllEntries } from '../republication/republication.ts';
import { createOutboxStore, OUTBOX_CHANNEL } from './store.ts';

interface RelayOptions {
  database: Database;
  log: EventLog;
  /** The topic `directory`; created when it is missing. */
  topic: TopicSpec;
  logger: Logger;
}

export interface Relay {
  start(): Promise<void>;
  /** Lets a batch that is being published finish. */
  stop(): Promise<void>;
}

const BATCH_SIZE = 500;
/** The outbox is also read this often, because the instance that was publishing may have been killed. */
const IDLE_MS = 1_000;

/**
 * Publishes the outbox to the topic `directory` in the order of the changes, and removes what the log has
 * acknowledged. Killed in between, it publishes the same records again: at least once, in order for each key. A topic that has
 * never had a record, because it is new or because the log was lost, gets every entry there is.
 */
export function createRelay({ database, log, topic, logger }: RelayOptions): Relay {
  const stopping = new AbortController();
  let isTopicThere = false;
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
        await ensureTopic();
        const published = await publishBatch();
        failures = 0;
        if (published < BATCH_SIZE) await Promise.race([woken, pause(IDLE_MS)]);
      } catch (error) {
        // The log may come back without the topic.
        isTopicThere = false;
        if (failures === 0) logger.warn({ error }, 'publish directory changes failed, retrying');
        await pause(backoffDelay(failures++));
      }
    }
  }

  async function ensureTopic() {
    if (isTopicThere) return;
    await log.createTopics([topic]);
    const ends = await log.endOffsets(topic.name);
    if (ends.every((end) => end === 0n)) {
      const entries = await database.drizzle.transaction(enqueueAllEntries);
      if (entries > 0)
        logger.info({ entries }, 'the topic directory is empty: every entry is published again');
    }
    isTopicThere = true;
  }

  function publishBatch(): Promise<number> {
    return database.drizzle.transaction(async (tx) => {
      const outbox = createOutboxStore(tx);
      if (!(await outbox.lockRelay())) return 0;
      const rows = await outbox.oldest(BATCH_SIZE);
      if (rows.length === 0) return 0;
      try {
        await log.publish(
          topic.name,
          rows.map((row) => outgoingRecord(row, row.id, topic.partitions)),
        );
      } catch (error) {
        await settled();
        throw error;
      }
      await outbox.remove(rows.map(({ id }) => id));
      return rows.length;
    });
  }

  /** What the log gave no answer for may still be on its way: nobody publishes anything newer before that ends. */
  async function settled() {
    while (log.bytesInFlight() > 0 && !stopping.signal.aborted) await pause(20);
  }

  async function pause(milliseconds: number) {
    await sleep(milliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
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
