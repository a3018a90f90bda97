import { backoffDelay, pause } from '@switchboard/resilience';
import kafkajs, { type Kafka, type ProducerBatch, type RecordMetadata } from 'kafkajs';
import type { TopicRecords } from '../batcher.ts';
import { EventLogUnavailable, messageOf, RecordTooLarge } from '../errors.ts';
import { firstOffsets } from '../first-offsets.ts';
import type { SendConnection } from '../sender.ts';
import { retrying } from './client.ts';

/** Smaller sends are not compressed: the round trip to the compression thread takes longer than it saves. */
const MIN_COMPRESSED_BYTES = 32_768;

/**
 * An idempotent producer that retries a send until the broker has stored it or the producer is closed. A retry has
 * the same sequence numbers, so the broker stores the records once.
 */
export async function openProducer(options: {
  client: Kafka;
  compression: number;
  brokerTimeoutMs: number;
}): Promise<SendConnection> {
  let closed = false;
  const producer = options.client.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    // Closing the producer ends the retries earlier.
    retry: retrying(1_000),
    createPartitioner:
      () =>
      ({ message }) => {
        // Called for every retry: kafkajs retries a send even after its producer was disconnected.
        if (closed) throw new kafkajs.KafkaJSNonRetriableError('the producer is closed');
        return message.partition ?? 0;
      },
  });
  const connecting = connect(producer.connect(), () => closed);
  const disconnect = (): Promise<void> => producer.disconnect().catch(() => {});
  let sending: Promise<unknown> = connecting;

  /** kafkajs retries a send by itself, but gives up if it cannot reconnect. */
  async function sendUntilStored(batch: ProducerBatch): Promise<RecordMetadata[]> {
    for (let failures = 1; ; failures++) {
      try {
        return await producer.sendBatch(batch);
      } catch (error) {
        if (closed || !isTransient(error)) throw error;
        await pause(backoffDelay(failures - 1, { baseMs: 50, maxMs: 500 }));
      }
    }
  }

  await connecting.catch(async (error) => {
    await disconnect();
    throw error;
  });

  return {
    async send(batch: TopicRecords[]) {
      const bytes = batch.reduce((sum, one) => sum + one.bytes, 0);
      const work = sendUntilStored({
        acks: -1,
        timeout: options.brokerTimeoutMs,
        compression: bytes < MIN_COMPRESSED_BYTES ? 0 : options.compression,
        topicMessages: batch.map(({ topic, records }) => ({ topic, messages: records })),
      });
      sending = work;
      try {
        return firstOffsets((await work).map(firstOffset));
      } catch (error) {
        throw toLogError(error);
      }
    },
    async close() {
      closed = true;
      await disconnect();
      // A retry in flight may have reconnected.
      await sending.catch(() => {});
      await disconnect();
    },
  };
}

/** For a retry of records it has already stored, the broker returns their original offset. */
function firstOffset({ topicName, partition, baseOffset = '' }: RecordMetadata) {
  return { topic: topicName, partition, offset: /^\d+$/.test(baseOffset) ? Number(baseOffset) : Number.NaN };
}

/** Errors after which the sequence numbers of producer and broker differ. A new producer starts from zero. */
const SEQUENCE_ERRORS =
  /OUT_OF_ORDER_SEQUENCE|UNKNOWN_PRODUCER_ID|INVALID_PRODUCER|PRODUCER_FENCED|out of order sequence/i;

export function isSequenceError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const type = 'type' in cause ? String(cause.type) : '';
    if (SEQUENCE_ERRORS.test(`${type} ${cause.message}`)) return true;
  }
  return false;
}

function isTransient(error: unknown): boolean {
  if (isSequenceError(error)) return false;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('retriable' in cause && cause.retriable === true) return true;
  }
  return false;
}

function toLogError(error: unknown): Error {
  const message = messageOf(error);
  if (/larger than the max|message size|RECORD_LIST_TOO_LARGE/i.test(message)) {
    return new RecordTooLarge(
      `the broker refused the records: ${message}; raise the topic's max.message.bytes`,
    );
  }
  return new EventLogUnavailable(`Kafka did not store the records: ${message}`, { cause: error });
}

async function connect(connecting: Promise<void>, closed: () => boolean): Promise<void> {
  await connecting;
  if (closed()) throw new EventLogUnavailable('the event log is closed');
}
