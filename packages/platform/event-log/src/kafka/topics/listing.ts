import { TopicPaused, UnknownTopic } from '../../errors.ts';
import type { KafkaAdmin } from '../admin.ts';

/** The partitions of topics, cached briefly. */
export interface Listing {
  /** Returns the number of partitions of a topic. Throws UnknownTopic. */
  partitions(topic: string): Promise<number>;
  /** Returns the same for a publisher. Throws TopicPaused while the topic is repartitioned. */
  partitionsToPublish(topic: string): Promise<number>;
}

const MAX_AGE_MS = 1_000;
/** Requests that are rejected together share a look-up up to this age. */
const TO_PUBLISH_MAX_AGE_MS = 200;

/**
 * Returns the name of the topic that a repartition creates. While it exists, publishing to `topic` is paused. It has the
 * new number of partitions and the settings of `topic`, and no records.
 */
export const nextOf = (topic: string): string => `${topic}.next`;

/** Lists all topics, because kafkajs retries metadata of an unknown topic until the time-out. */
export function createListing(admin: KafkaAdmin): Listing {
  let last: { at: number; topics: Promise<ReadonlyMap<string, number>> } | undefined;

  function list(maxAgeMs: number): Promise<ReadonlyMap<string, number>> {
    if (last === undefined || performance.now() - last.at > maxAgeMs) {
      const topics = admin.use('listing topics', async (a) => {
        const metadata = await a.fetchTopicMetadata();
        return new Map(metadata.topics.map(({ name, partitions }) => [name, partitions.length]));
      });
      const listing = { at: performance.now(), topics };
      last = listing;
      topics.catch(() => {
        if (last === listing) last = undefined;
      });
    }
    return last.topics;
  }

  return {
    async partitions(topic) {
      const count = (await list(MAX_AGE_MS)).get(topic) ?? (await list(0)).get(topic);
      if (count === undefined) throw new UnknownTopic(`there is no topic ${topic}`);
      return count;
    },
    async partitionsToPublish(topic) {
      const topics = await list(TO_PUBLISH_MAX_AGE_MS);
      const next = topics.get(nextOf(topic));
      if (next !== undefined) throw new TopicPaused(topic, next);
      const count = topics.get(topic) ?? (await list(0)).get(topic);
      if (count === undefined) throw new UnknownTopic(`there is no topic ${topic}`);
      return count;
    },
  };
}
