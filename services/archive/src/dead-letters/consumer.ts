import { auditText, deadLettersOf, ingestionTopics } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type StoredRecord,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import { HEADER_PREFIX } from './records.ts';
import type { DeadLettersStore, NewLetter } from './store.ts';

const GROUP = 'archive.dead-letters';
const topics = Object.values(ingestionTopics).map(deadLettersOf);
/** Bounds the parameters of a statement. */
const ROWS_AT_ONCE = 1_000;

interface LettersConsumerOptions {
  log: Pick<EventLog, 'consume' | 'endOffsets'>;
  store: Pick<DeadLettersStore, 'add'>;
  logger: Logger;
}

/** Creates the consumer that lists dead letters, so that they can be found without reading their topics. */
export function createLettersConsumer({ log, store, logger }: LettersConsumerOptions): BackgroundConsumer {
  async function consume() {
    // Ingestion creates the topics.
    for (const topic of topics) await log.endOffsets(topic);
    return log.consume({
      group: GROUP,
      topics,
      async handle({ records }) {
        for (let at = 0; at < records.length; at += ROWS_AT_ONCE)
          await store.add(records.slice(at, at + ROWS_AT_ONCE).map(letterOf));
      },
    });
  }
  return createConsumer({ consume, topics, logger });
}

function letterOf({ topic, partition, offset, timestamp, headers, value }: StoredRecord): NewLetter {
  return {
    topic: topic.slice(0, -deadLettersOf('').length),
    logPartition: partition,
    logOffset: Number(offset),
    deadLetteredAt: new Date(timestamp),
    reason: auditText(headers[`${HEADER_PREFIX}reason`] ?? ''),
    projectId: textOf(headers['project']),
    requestId: textOf(headers['request_id']),
    bytes: value?.length ?? 0,
  };
}

const textOf = (header: string | undefined) => (header === undefined ? null : auditText(header));
