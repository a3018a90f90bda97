import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@switchboard/database';
import { outgoingRecord } from '@switchboard/directory';
import type { EventLog, TopicSpec } from '@switchboard/event-log';
import { backoffDelay, type Logger } from '@switchboard/service-kit';
import { asc, inArray, sql } from 'drizzle-orm';
import type { Tx } from '../db.ts';
import { outbox } from '../schema.ts';
import { readEverything } from './everything.ts';
import { createOutbox, outboxChannel } from './outbox.ts';

interface RelayOptions {
  database: Database;
  log: EventLog;
  /** The topic `directory`; made when it is not there. */
  topic: TopicSpec;
  logger: Logger;
}

export interface Relay {
  start(): Promise<void>;
  /** Lets a batch that is being published end. */
  stop(): Promise<void>;
}

/** One relay at a time, over all instances: any number will do. */
const relayLock = 4_107_526_643;
const batchSize = 500;
/** The outbox is looked at this often also when nobody announces anything: its last relay may have been killed. */
const idleMs = 1_000;

/**
 * Publishes the outbox to the topic `directory` in the order of the changes, and removes what the log has
 * acknowledged. Killed in between, it publishes the same again: at least once, in order for each key. A topic that has
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
        if (published < batchSize) await Promise.race([woken, pause(idleMs)]);
      } catch (error) {
        // The log may come back without the topic.
        isTopicThere = false;
        if (failures === 0)
          logger.warn({ error }, 'directory changes cannot be published; they wait in the outbox');
        await pause(backoffDelay(failures++));
      }
    }
  }

  async function ensureTopic() {
    if (isTopicThere) return;
    await log.createTopics([topic]);
    const ends = await log.endOffsets(topic.name);
    if (ends.every((end) => end === 0n)) await publishEverything();
    isTopicThere = true;
  }

  async function publishEverything() {
    const entries = await createOutbox(database.drizzle).change(async (tx, announce) => {
      const records = await readEverything(tx);
      announce(records);
      return records.length;
    });
    if (entries > 0) logger.info({ entries }, 'the topic directory is empty: every entry is published again');
  }

  function publishBatch(): Promise<number> {
    return database.drizzle.transaction(async (tx) => {
      if (!(await takeTurn(tx))) return 0;
      const rows = await tx.select().from(outbox).orderBy(asc(outbox.id)).limit(batchSize);
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
      await tx.delete(outbox).where(
        inArray(
          outbox.id,
          rows.map(({ id }) => id),
        ),
      );
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
        outboxChannel,
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

async function takeTurn(tx: Tx): Promise<boolean> {
  const [row] = await tx.execute(sql`select pg_try_advisory_xact_lock(${relayLock}) as taken`);
  return row?.['taken'] === true;
}
