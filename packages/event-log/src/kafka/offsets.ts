import type { Admin } from 'kafkajs';
import { UnknownTopic } from '../errors.ts';
import type { PartitionLag } from '../types.ts';

export async function partitionsOf(admin: Admin, topic: string): Promise<number> {
  // Lists topics, because kafkajs retries metadata of an unknown topic until the time-out.
  if (!(await admin.listTopics()).includes(topic)) {
    throw new UnknownTopic(`there is no topic ${topic}: create it before publishing`);
  }
  const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
  return topics[0]?.partitions.length ?? 0;
}

export async function readOffsets(
  admin: Admin,
  topic: string,
): Promise<{ partition: number; low: bigint; high: bigint }[]> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets
    .map((one) => ({ partition: one.partition, low: BigInt(one.low), high: BigInt(one.high) }))
    .sort((a, b) => a.partition - b.partition);
}

export async function readLag(admin: Admin, group: string, topics: string[]): Promise<PartitionLag[]> {
  const groups = await admin.fetchOffsets({ groupId: group, topics });
  const lags = await Promise.all(
    topics.map(async (topic) => {
      const stored = groups.find((one) => one.topic === topic)?.partitions ?? [];
      const offsets = await readOffsets(admin, topic);
      return offsets.map(({ partition, low, high }) => {
        // -1 if the group has never committed.
        const offset = BigInt(stored.find((one) => one.partition === partition)?.offset ?? -1);
        const committed = offset < low ? low : offset;
        return { topic, partition, committed, end: high, behind: high > committed ? high - committed : 0n };
      });
    }),
  );
  return lags.flat();
}
