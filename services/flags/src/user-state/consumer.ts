import { ingestionTopics } from '@switchboard/contracts';
import type { Consumption, EventLog, RecordBatch, StoredRecord } from '@switchboard/event-log';
import { retry } from '@switchboard/resilience';
import type { Logger } from '@switchboard/service-kit';
import { positionAfter } from './apply.ts';
import { decodeRecord, InvalidRecord, type StateChange } from './decode.ts';
import { applyEach } from './isolate.ts';
import type { UserStateStore } from './store.ts';

export const USER_STATE_GROUP = 'flags.user-state';
const topics = [ingestionTopics.identifies, ingestionTopics.groups];
const RETRY_MS = 1000;

/** What reaches user state through the event log. */
export const USER_STATE_INTAKE = { group: USER_STATE_GROUP, topics };

export interface UserStateConsumer {
  /** Returns at once and consumes as soon as the topics, which ingestion creates, exist. */
  start(): void;
  stop(): Promise<void>;
}

interface ConsumerOptions {
  store: Pick<UserStateStore, 'update'>;
  log: EventLog;
  logger: Logger;
}

/** Applies the topics `identifies` and `groups` to people and groups. */
export function createUserStateConsumer({ store, log, logger }: ConsumerOptions): UserStateConsumer {
  const stopping = new AbortController();
  let starting: Promise<Consumption | undefined> | undefined;

  async function consumeOnceReady(): Promise<Consumption | undefined> {
    const { signal } = stopping;
    const onRetry = (error: unknown, attempt: number) => {
      if (attempt === 1) logger.warn({ error, topics }, 'consume failed, retrying');
    };
    try {
      return await retry(consume, { signal, onRetry, baseMs: RETRY_MS, maxMs: RETRY_MS });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  async function consume(): Promise<Consumption> {
    await Promise.all(topics.map((topic) => log.endOffsets(topic)));
    return log.consume({ group: USER_STATE_GROUP, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const records = new Map<StateChange, StoredRecord>();
    for (const record of batch.records) {
      try {
        records.set(decodeRecord(record), record);
      } catch (error) {
        if (!(error instanceof InvalidRecord)) throw error;
        await batch.deadLetter(record, error.message);
      }
    }
    const rejections = await applyEach(store, [...records.keys()], positionAfter(batch), batch.signal);
    for (const { change, reason } of rejections) {
      const record = records.get(change);
      if (record !== undefined) await batch.deadLetter(record, reason);
    }
  }

  return {
    start() {
      starting ??= consumeOnceReady();
    },
    async stop() {
      stopping.abort();
      const consumption = await starting;
      await consumption?.stop();
    },
  };
}
