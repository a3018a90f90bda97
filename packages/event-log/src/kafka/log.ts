import { createByteBudget } from '@switchboard/resilience';
import { createPublisher } from '../publisher.ts';
import type { CommonOptions, EventLog } from '../types.ts';
import { createAdmin } from './admin.ts';
import { createClient, type KafkaConnection } from './client.ts';
import { type Compression, codecFor } from './codecs.ts';
import { startConsumer } from './consumer.ts';
import { partitionsOf, readLag, readOffsets } from './offsets.ts';
import { createProducer } from './producer.ts';
import { createKafkaTopics } from './topics.ts';

export interface KafkaLogOptions extends KafkaConnection, CommonOptions {
  /** Default: zstd. Records of a partition below 16 kB are not compressed. */
  compression?: Compression;
}

/**
 * About half a minute. A consumer that survives the restart of a broker keeps its membership; a new one has to wait
 * for the lease of the old one to expire.
 */
const CONSUMER_RETRIES = 60;

/** The producer retries by itself, on another broker. */
const PRODUCER_RETRIES = 1;

/** On top of the time a broker waits for its replicas. */
const ANSWER_MS = 1_000;

const CREATE_TOPICS_TIMEOUT_MS = 30_000;

/** The event log on Kafka. Connects on first use. */
export function openKafkaLog(options: KafkaLogOptions): EventLog {
  const timeoutMs = options.publishTimeoutMs ?? 5_000;
  const { onLog } = options;
  const client = createClient(options, timeoutMs);
  const consumerClient = createClient(options, timeoutMs, CONSUMER_RETRIES);
  const admin = createAdmin(client, timeoutMs);
  const brokerTimeoutMs = Math.ceil(timeoutMs / 3);
  const attemptTimeoutMs = Math.min(timeoutMs, brokerTimeoutMs + ANSWER_MS);
  const transport = createProducer({
    client: createClient(options, attemptTimeoutMs, PRODUCER_RETRIES),
    compression: codecFor(options.compression ?? 'zstd'),
    brokerTimeoutMs,
    attemptTimeoutMs,
    onLog,
  });
  const publisher = createPublisher({
    transport,
    timeoutMs,
    budget: options.budget ?? createByteBudget(64 * 1024 * 1024),
    partitionsOf: (topic) => admin.use('looking up a topic', (a) => partitionsOf(a, topic)),
  });
  const consumptions = new Set<{ stop(): Promise<void> }>();

  const lag: EventLog['lag'] = (group, topics) =>
    admin.use('reading offsets', (a) => readLag(a, group, topics));

  return {
    async createTopics(specs) {
      // One of its own: a client that was asked about a topic that does not exist, for example for its offsets, fails
      // every refresh of its metadata meanwhile.
      const creating = createAdmin(client, timeoutMs);
      try {
        await creating.use('creating topics', (a) => createKafkaTopics(a, specs), CREATE_TOPICS_TIMEOUT_MS);
      } finally {
        await creating.close();
      }
    },
    publish: publisher.publish,
    async consume(consume) {
      const consumption = startConsumer({
        client: consumerClient,
        consume,
        onLog,
        publishDeadLetter: (topic, record) => publisher.publish(topic, [record]),
      });
      consumptions.add(consumption);
      return {
        async stop() {
          consumptions.delete(consumption);
          await consumption.stop();
        },
        lag: () => lag(consume.group, consume.topics),
      };
    },
    endOffsets: (topic) =>
      admin.use('reading offsets', async (a) => (await readOffsets(a, topic)).map((one) => one.high)),
    committedOffsets: async (group, topic) => (await lag(group, [topic])).map((one) => one.committed),
    lag,
    bytesInFlight: publisher.bytesInFlight,
    async ping() {
      await admin.use('describing the cluster', (a) => a.describeCluster());
    },
    async close() {
      await Promise.all([...consumptions].map((consumption) => consumption.stop()));
      await publisher.close();
      await admin.close();
    },
  };
}
