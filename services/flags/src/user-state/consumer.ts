import { ingestionTopics } from '@switchboard/contracts';
import type { Consumption, EventLog, RecordBatch, StoredRecord } from '@switchboard/event-log';
import { type BackgroundConsumer, createConsumer, type Logger } from '@switchboard/service-kit';
import { positionAfter } from './apply.ts';
import { decodeRecord, InvalidRecord, type StateChange } from './decode.ts';
import { applyEach } from './isolate.ts';
import type { UserStateStore } from './store.ts';

export const USER_STATE_GROUP = 'flags.user-state';
const topics = [ingestionTopics.identifies, ingestionTopics.groups];

/** What reaches user state through the event log. */
export const USER_STATE_INTAKE = { group: USER_STATE_GROUP, topics };

interface ConsumerOptions {
  store: Pick<UserStateStore, 'update'>;
  log: EventLog;
  logger: Logger;
}

/** Applies the topics `identifies` and `groups`, which ingestion creates, to people and groups. */
export function createUserStateConsumer({ store, log, logger }: ConsumerOptions): BackgroundConsumer {
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

  return createConsumer({ consume, topics, logger });
}
