import type { Admin } from 'kafkajs';
import type { PartitionLag } from '../types.ts';

async function readOffsets(
  admin: Admin,
  topic: string,
): Promise<{ partition: number; low: bigint; high: bigint }[]> {
  const offsets = await admin.fetchTopicOffsets(topic);
  return offsets
    .map((one) => ({ partition: one.partition, low: BigInt(one.low), high: BigInt(one.high) }))
    .sort((a, b) => a.partition - b.partition);
}

/** Returns the end of every partition from 0 on. */
export async function readEnds(admin: Admin, topic: string): Promise<bigint[]> {
  return (await readOffsets(admin, topic)).map(({ high }) => high);
}

/** Returns the lag of a group on each partition of the topics. */
export async function readLag(
  admin: Admin,
  group: string,
  topics: readonly string[],
): Promise<PartitionLag[]> {
  const committed = await admin.fetchOffsets({ groupId: group, topics: [...topics] });
  const lags = await Promise.all(
    topics.map(async (topic) => {
      const stored = committed.find((one) => one.topic === topic)?.partitions ?? [];
      const offsets = await readOffsets(admin, topic);
      return offsets.map(({ partition, low, high }) => {
        // -1 if the group has never committed.
        const offset = BigInt(stored.find((one) => one.partition === partition)?.offset ?? -1);
        const next = offset < low ? low : offset;
        const behind = high > next ? high - next : 0n;
        return { topic, partition, committed: next, end: high, behind };
      });
    }),
  );
  return lags.flat();
}

/** Returns the number of members of each group that the cluster knows. */
export async function readMembers(admin: Admin, names: string[]): Promise<Map<string, number>> {
  const { groups } = await admin.describeGroups(names);
  const known = groups.filter(({ state }) => state !== 'Dead');
  return new Map(known.map(({ groupId, members }) => [groupId, members.length]));
}
