import { ingestionTopics } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  type Consumption,
  createConsumer,
  type EventLog,
  type FailureLog,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import { positionAfter } from './apply.ts';
import { decodeRecord, InvalidRecord, type StateChange } from './decode.ts';
import { applyEach } from './isolate.ts';
import type { StateStore } from './store.ts';

/** The topics that user state is built from. */
export const USER_STATE_TOPICS = [ingestionTopics.identifies, ingestionTopics.groups];

interface ConsumerOptions {
  group: string;
  store: Pick<StateStore, 'update'>;
  log: EventLog;
  logger: FailureLog;
  /** Called with a record that cannot be applied. Default: publishes it as a dead letter. */
  onRejected?: (record: StoredRecord, reason: string) => Promise<void> | void;
}

/**
 * Creates a consumer that applies the topics `identifies` and `groups`, created by ingestion, to people and groups.
 */
export function createUserStateConsumer(options: ConsumerOptions): BackgroundConsumer {
  const { group, store, log, logger } = options;
  const topics = USER_STATE_TOPICS;

  async function consume(): Promise<Consumption> {
    await Promise.all(topics.map((topic) => log.endOffsets(topic)));
    return log.consume({ group, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const { onRejected = batch.deadLetter } = options;
    const records = new Map<StateChange, StoredRecord>();
    for (const record of batch.records) {
      try {
        records.set(decodeRecord(record), record);
      } catch (error) {
        if (!(error instanceof InvalidRecord)) throw error;
        await onRejected(record, error.message);
      }
    }
    const rejections = await applyEach(store, [...records.keys()], positionAfter(batch), batch.signal);
    for (const { change, reason } of rejections) {
      const record = records.get(change);
      if (record !== undefined) await onRejected(record, reason);
    }
  }

  return createConsumer({ consume, topics, logger });
}
