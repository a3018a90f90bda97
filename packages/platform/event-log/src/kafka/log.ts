import { createByteBudget } from '@switchboard/fairness';
import { pause } from '@switchboard/resilience';
import type { Admin } from 'kafkajs';
import { TopicPaused } from '../errors.ts';
import { createPublisher } from '../publisher.ts';
import type { CommonOptions, EventLog } from '../types.ts';
import { createAdmin } from './admin.ts';
import { createClient, type KafkaConnection } from './client.ts';
import { type Compression, codecFor } from './codecs.ts';
import { startConsumer } from './consumer.ts';
import { readEnds, readLag, readMembers } from './offsets.ts';
import { createProducer, RefusedAsTooLarge } from './producer.ts';
import { createListing } from './topics/listing.ts';
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

/** A look-up at a broker that hangs fails this soon, so that another broker answers before publishers stop. */
const LISTING_TIMEOUT_MS = 2_000;

/** How long brokers take to tell each other that a topic is paused. */
const PAUSE_KNOWN_MS = 250;

const CREATE_TOPICS_TIMEOUT_MS = 30_000;

/** Opens the event log on Kafka. Connects on first use. */
export function openKafkaLog(options: KafkaLogOptions): EventLog {
  const timeoutMs = options.publishTimeoutMs ?? 5_000;
  const { onLog } = options;
  const client = createClient(options, timeoutMs);
  const consumerClient = createClient(options, timeoutMs, CONSUMER_RETRIES);
  const admin = createAdmin(client, timeoutMs);
  const listingTimeoutMs = Math.min(timeoutMs, LISTING_TIMEOUT_MS);
  const lister = createAdmin(createClient(options, listingTimeoutMs), listingTimeoutMs);
  const listing = createListing(lister);
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
    lookUp: listing.partitionsToPublish,
  });
  const consumptions = new Set<{ stop(): Promise<void> }>();

  const lag: EventLog['lag'] = async (group, topics) => {
    await Promise.all(topics.map(listing.partitions));
    return admin.use('reading offsets', (a) => readLag(a, group, topics));
  };

  /** Throws TopicPaused if the topic is repartitioned, when brokers refuse every record as too large. */
  async function whyRefused(topic: string, error: unknown): Promise<never> {
    if (error instanceof RefusedAsTooLarge) {
      const known = await publisher.partitions(topic);
      await listing.partitionsToPublish(topic);
      // The look-up may predate the pause, or come from a broker that did not know of it yet.
      await pause(PAUSE_KNOWN_MS);
      const partitions = await listing.partitionsToPublish(topic);
      // The pause may have ended between the rejection and the look-up.
      if (partitions !== known) throw new TopicPaused(topic, partitions);
    }
    throw error;
  }

  const endOffsets: EventLog['endOffsets'] = async (topic) => {
    await listing.partitions(topic);
    return admin.use('reading offsets', (a) => readEnds(a, topic));
  };

  const consume: EventLog['consume'] = async (consume) => {
    const consumption = startConsumer({
      client: consumerClient,
      consume,
      onLog,
      listing,
      publishDeadLetter: publisher.publishDeadLetter,
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
  };

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
      publisher.publish(topic, records, fairnessKey).catch((error) => whyRefused(topic, error)),
    partitions: publisher.partitions,
    consume,
    async follow({ group, topic, from = (_, end) => end, onRecords }) {
      const ends = await endOffsets(topic);
      const positions = new Map(ends.map((end, partition) => [partition, from(partition, end)]));
      return consume({
        group,
        topics: [topic],
        from: async () => positions,
        commit: 'manual',
        async handle({ partition, records, nextOffset }) {
          positions.set(partition, nextOffset);
          onRecords(records);
        },
      });
    },
    endOffsets,
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
      await Promise.all([admin.close(), lister.close(), watching.close()]);
    },
  };
}
