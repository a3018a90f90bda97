import { setTimeout as sleep } from 'node:timers/promises';
import { ingestionTopics } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import type { Consumption, EventLog, RecordBatch } from '@switchboard/event-log';
import type { Logger } from '@switchboard/service-kit';
import { applyChanges } from './apply.ts';
import { positionAfter } from './positions.ts';
import { readRecord, type StateChange, UnreadableRecord } from './records.ts';

export const userStateGroup = 'flags.user-state';
const topics = [ingestionTopics.identifies, ingestionTopics.groups];
const RETRY_MS = 1000;

export interface UserStateConsumer {
  /** Returns at once; reads as soon as the topics, which ingestion makes, are there. */
  start(): void;
  stop(): Promise<void>;
}

interface ConsumerOptions {
  database: Database;
  log: EventLog;
  logger: Logger;
}

/** Keeps people and groups as the topics `identifies` and `groups` say. */
export function createUserStateConsumer({ database, log, logger }: ConsumerOptions): UserStateConsumer {
  const stopping = new AbortController();
  let running: Promise<Consumption | undefined> | undefined;

  async function consumeWhenThere(): Promise<Consumption | undefined> {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      try {
        await Promise.all(topics.map((topic) => log.endOffsets(topic)));
        return await log.consume({ group: userStateGroup, topics, handle });
      } catch (error) {
        if (attempt === 0) logger.warn({ error }, 'identifies and groups cannot be read yet; trying again');
        await sleep(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const changes: StateChange[] = [];
    for (const record of batch.records) {
      try {
        changes.push(readRecord(record));
      } catch (error) {
        if (!(error instanceof UnreadableRecord)) throw error;
        await batch.deadLetter(record, error.message);
      }
    }
    await applyChanges(database, changes, positionAfter(batch));
  }

  return {
    start() {
      running ??= consumeWhenThere();
    },
    async stop() {
      stopping.abort();
      const consumption = await running;
      await consumption?.stop();
    },
  };
}
