import { createByteBudget } from '@switchboard/fairness';
import { pause } from '@switchboard/resilience';
import type { Admin } from 'kafkajs';
import { TopicMoved } from '../errors.ts';
import { createPublisher } from '../publisher.ts';
import type { CommonOptions, EventLog } from '../types.ts';
import { createAdmin } from './admin.ts';
import { createClient, type KafkaConnection } from './client.ts';
import { type Compression, codecFor } from './codecs.ts';
import { startConsumer } from './consumer.ts';
import { partitionsOf, readEnds, readLag, readMembers } from './offsets.ts';
import { createProducer, RefusedAsTooLarge } from './producer.ts';
import { createRanges } from './topics/ranges.ts';
import { createKafkaTopics } from './topics/topics.ts';

export interface KafkaLogOptions extends KafkaConnection, CommonOptions {
  /** Default: zstd. Records of a partition below 16 kB are not compressed. */
  compression?: Compression;
}

/**
 * Retries for about half a minute. A consumer that survives a broker restart keeps its membership. A new one would
 * have to wait until the lease of the old one expires.
 */
const CONSUMER_RETRIES = 60;

/** The producer does its own retries, on another broker. */
const PRODUCER_RETRIES = 1;

/** Added to the time that a broker waits for its replicas. */
const ANSWER_MS = 1_000;

/** Many requests are rejected at once, so they share a look-up up to this age. */
const REFUSED_MAX_AGE_MS = 200;

const CREATE_TOPICS_TIMEOUT_MS = 30_000;

/** Opens the event log on Kafka. Connects on first use. */
export function openKafkaLog(options: KafkaLogOptions): EventLog {
  const timeoutMs = options.publishTimeoutMs ?? 5_000;
  const { onLog } = options;
  const client = createClient(options, timeoutMs);
  const consumerClient = createClient(options, timeoutMs, CONSUMER_RETRIES);
  const admin = createAdmin(client, timeoutMs);
  const ranges = createRanges(admin);
  // A separate client, so that a broker that refuses it does not cost other calls their connection.
  const watching = createAdmin(client, timeoutMs);
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
    async placeOf(topic) {
      const { kafkaTopic, first } = await ranges.toPublish(topic);
      const find = (a: Admin) => partitionsOf(a, kafkaTopic);
      const count = await admin.use('looking up a topic', find);
      return { topic: kafkaTopic, placement: { first, count } };
    },
  });
  const consumptions = new Set<{ stop(): Promise<void> }>();

  const lag: EventLog['lag'] = (group, topics) =>
    admin.use('reading offsets', async (a) =>
      readLag(a, group, await Promise.all(topics.map((topic) => ranges.of(topic)))),
    );

  /** Throws TopicMoved if the topic is repartitioned. A closed Kafka topic refuses every record as too large. */
  async function whereRefused(topic: string, error: unknown): Promise<never> {
    if (!(error instanceof RefusedAsTooLarge)) throw error;
    let found = await ranges.of(topic, REFUSED_MAX_AGE_MS);
    if (found.length === 1) {
      // The look-up may predate the closing, or come from a broker that did not know of it yet.
      await pause(REFUSED_MAX_AGE_MS);
      found = await ranges.of(topic, REFUSED_MAX_AGE_MS);
    }
    if (found.length > 1) {
      // Looked up once, because the last Kafka topic also refuses records until it is opened.
      if ((await publisher.placeOf(topic)).topic !== found.at(-1)?.kafkaTopic) {
        ranges.moved(topic);
        publisher.forget(topic);
      }
      throw new TopicMoved(
        `${topic} is being given other partitions; retry. If it takes long, run switchboard topics repartition again`,
      );
    }
    throw error;
  }

  return {
    async createTopics(specs) {
      // A separate client: one that was asked about a topic that does not exist, for example for its offsets, fails
      // every refresh of its metadata in the meantime.
      const creating = createAdmin(client, timeoutMs);
      try {
        const work = (a: Admin) => createKafkaTopics(a, specs, { brokers: options.brokers, onLog });
        await creating.use('creating topics', work, CREATE_TOPICS_TIMEOUT_MS);
      } finally {
        await creating.close();
      }
    },
    publish: (topic, records, fairnessKey) =>
      publisher.publish(topic, records, fairnessKey).catch((error) => whereRefused(topic, error)),
    placement: publisher.placement,
    async consume(consume) {
      const consumption = startConsumer({
        client: consumerClient,
        consume,
        onLog,
        ranges,
        async publishDeadLetter(topic, record) {
          // A repartitioned topic has more partitions than its dead-letter topic.
          const { count } = await publisher.placement(topic);
          await publisher.publish(topic, [{ ...record, partition: record.partition % count }]);
        },
      });
      consumptions.add(consumption);
      return {
        async stop() {
          consumptions.delete(consumption);
          await consumption.stop();
        },
        async lag() {
          const lags = await lag(consume.group, consume.topics);
          if (!consume.from) return lags;
          const positions = consumption.positions();
          return lags.map((one) => {
            const committed = positions.get(`${one.topic}/${one.partition}`) ?? one.committed;
            return { ...one, committed, behind: one.end > committed ? one.end - committed : 0n };
          });
        },
      };
    },
    endOffsets: (topic) => admin.use('reading offsets', async (a) => readEnds(a, await ranges.of(topic))),
    committedOffsets: async (group, topic) => (await lag(group, [topic])).map((one) => one.committed),
    lag,
    members: (groups) => watching.use('reading groups', (a) => readMembers(a, groups)),
    bytesInFlight: publisher.bytesInFlight,
    async ping() {
      await admin.use('describing the cluster', (a) => a.describeCluster());
    },
    async close() {
      await Promise.all([...consumptions].map((consumption) => consumption.stop()));
      await publisher.close();
      await Promise.all([admin.close(), watching.close()]);
    },
  };
}
