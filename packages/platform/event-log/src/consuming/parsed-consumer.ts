import type { EventLog, RecordBatch, StoredRecord, TopicSpec } from '../types.ts';
import { type BackgroundConsumer, createConsumer, type FailureLog } from './consumer.ts';

interface ParsedConsumerOptions<T> {
  log: Pick<EventLog, 'createTopics' | 'endOffsets' | 'consume'>;
  group: string;
  /** Created if it does not exist. A name alone is of a topic that its publisher creates. */
  topic: TopicSpec | string;
  /** Returns undefined if the record is invalid. */
  parse(record: StoredRecord): T | undefined;
  /** The reason with which an invalid record is published as a dead letter. */
  invalid: string;
  /** Applies the valid records of a batch, in order; at least one. The signal is that of the batch. */
  apply(values: T[], signal: AbortSignal): Promise<void>;
  logger: FailureLog;
}

/** Creates a consumer that applies the valid records of a topic, a batch at a time. */
export function createParsedConsumer<T>(options: ParsedConsumerOptions<T>): BackgroundConsumer {
  const { log, group, topic, parse, invalid, apply, logger } = options;
  const topics = [typeof topic === 'string' ? topic : topic.name];

  async function handle(batch: RecordBatch): Promise<void> {
    const values: T[] = [];
    for (const record of batch.records) {
      const value = parse(record);
      if (value === undefined) await batch.deadLetter(record, invalid);
      else values.push(value);
    }
    if (values.length > 0) await apply(values, batch.signal);
  }

  async function consume() {
    await (typeof topic === 'string' ? log.endOffsets(topic) : log.createTopics([topic]));
    return log.consume({ group, topics, handle });
  }

  return createConsumer({ consume, topics, logger });
}
