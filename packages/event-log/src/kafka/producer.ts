import { backoffDelay, pause } from '@switchboard/resilience';
import kafkajs, { type Kafka, type ProducerBatch, type RecordMetadata } from 'kafkajs';
import { EventLogUnavailable, messageOf, RecordTooLarge } from '../errors.ts';
import type { TopicRecords } from '../gather.ts';
import { firstOffsets } from '../placing.ts';
import type { SendConnection } from '../sender.ts';
import { retrying } from './client.ts';

/** Below, handing bytes to another thread and back takes longer than sending them. */
const WORTH_COMPRESSING = 32_768;

/**
 * An idempotent producer that repeats one send until the broker has stored it or it is closed: a repetition
 * carries the same sequence numbers, so the broker stores it once.
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
    // Ends by `closed`, long before.
    retry: retrying(1_000),
    createPartitioner:
      () =>
      ({ message }) => {
        // The one place a repetition passes: kafkajs repeats a send whose producer is disconnected.
        if (closed) throw new kafkajs.KafkaJSNonRetriableError('given up');
        return message.partition ?? 0;
      },
  });
  const connecting = connect(producer.connect(), () => closed);
  const disconnect = (): Promise<void> => producer.disconnect().catch(() => {});
  let sending: Promise<unknown> = connecting;

  /** kafkajs repeats a send by itself, but not when it cannot connect again; until now nothing has changed. */
  async function untilStored(batch: ProducerBatch): Promise<RecordMetadata[]> {
    for (let failures = 1; ; failures++) {
      try {
        return await producer.sendBatch(batch);
      } catch (error) {
        if (closed || !mayPass(error)) throw error;
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
      const work = untilStored({
        acks: -1,
        timeout: options.brokerTimeoutMs,
        compression: bytes < WORTH_COMPRESSING ? 0 : options.compression,
        topicMessages: batch.map(({ topic, records }) => ({ topic, messages: records })),
      });
      sending = work;
      try {
        return firstOffsets((await work).map(firstOffset));
      } catch (error) {
        throw explain(error);
      }
    },
    async close() {
      closed = true;
      await disconnect();
      // A repetition under way may have connected again.
      await sending.catch(() => {});
      await disconnect();
    },
  };
}

/** As the broker said: for a repetition it says the offset of the first time. */
function firstOffset({ topicName, partition, baseOffset = '' }: RecordMetadata) {
  return { topic: topicName, partition, offset: /^\d+$/.test(baseOffset) ? Number(baseOffset) : Number.NaN };
}

/** The errors after which the broker's count and the producer's differ; a fresh producer starts from zero. */
const OUT_OF_STEP =
  /OUT_OF_ORDER_SEQUENCE|UNKNOWN_PRODUCER_ID|INVALID_PRODUCER|PRODUCER_FENCED|out of order sequence/i;

export function outOfStep(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const type = 'type' in cause ? String(cause.type) : '';
    if (OUT_OF_STEP.test(`${type} ${cause.message}`)) return true;
  }
  return false;
}

function mayPass(error: unknown): boolean {
  if (outOfStep(error)) return false;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('retriable' in cause && cause.retriable === true) return true;
  }
  return false;
}

function explain(error: unknown): Error {
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
