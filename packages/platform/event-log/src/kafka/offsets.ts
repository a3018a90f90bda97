import type { Admin } from 'kafkajs';
import type { PartitionLag } from '../types.ts';
import type { Range } from './topics/range.ts';

export async function partitionsOf(admin: Admin, kafkaTopic: string): Promise<number> {
  const { topics } = await admin.fetchTopicMetadata({ topics: [kafkaTopic] });
  return topics[0]?.partitions.length ?? 0;
}

export async function readOffsets(
  admin: Admin,
  kafkaTopic: string,
): Promise<{ partition: number; low: bigint; high: bigint }[]> {
  const offsets = await admin.fetchTopicOffsets(kafkaTopic);
  return offsets
    .map((one) => ({ partition: one.partition, low: BigInt(one.low), high: BigInt(one.high) }))
    .sort((a, b) => a.partition - b.partition);
}

/** Returns the end of every partition from 0 on. Partitions of a deleted Kafka topic have no records. */
export async function readEnds(admin: Admin, ranges: readonly Range[]): Promise<bigint[]> {
  const gone = Array.from({ length: ranges[0]?.first ?? 0 }, () => 0n);
  const offsets = await Promise.all(ranges.map(({ kafkaTopic }) => readOffsets(admin, kafkaTopic)));
  return [...gone, ...offsets.flat().map(({ high }) => high)];
}

/** Returns the lag of a group on each topic. Covers the same partitions as `readEnds`. */
export async function readLag(
  admin: Admin,
  group: string,
  ranges: readonly (readonly Range[])[],
): Promise<PartitionLag[]> {
  const topics = ranges.flat().map(({ kafkaTopic }) => kafkaTopic);
  const committed = await admin.fetchOffsets({ groupId: group, topics });
  const lags = await Promise.all(
    ranges.map(async ([...ofTopic]) => {
      const { topic = '', first: missing = 0 } = ofTopic[0] ?? {};
      const gone = Array.from({ length: missing }, (_, partition) => {
        return { topic, partition, committed: 0n, end: 0n, behind: 0n };
      });
      const begun = begunOf(committed, ofTopic);
      const ofRanges = await Promise.all(ofTopic.map((range, index) => lagOf(range, index < begun)));
      return [...gone, ...ofRanges.flat()];
    }),
  );
  return lags.flat();

  async function lagOf({ topic, kafkaTopic, first }: Range, isRead: boolean): Promise<PartitionLag[]> {
    const stored = committed.find((one) => one.topic === kafkaTopic)?.partitions ?? [];
    const offsets = await readOffsets(admin, kafkaTopic);
    return offsets.map(({ partition, low, high }) => {
      // -1 if the group has never committed.
      const offset = BigInt(stored.find((one) => one.partition === partition)?.offset ?? -1);
      const next = isRead && offset < 0n ? high : offset < low ? low : offset;
      const behind = high > next ? high - next : 0n;
      return { topic, partition: first + partition, committed: next, end: high, behind };
    });
  }
}

/** Returns the number of members of each group that the cluster knows. */
export async function readMembers(admin: Admin, names: string[]): Promise<Map<string, number>> {
  const { groups } = await admin.describeGroups(names);
  const known = groups.filter(({ state }) => state !== 'Dead');
  return new Map(known.map(({ groupId, members }) => [groupId, members.length]));
}

export type Committed = Awaited<ReturnType<Admin['fetchOffsets']>>;

/**
 * Returns the index of the last range in which the group committed an offset, or of the first range. Kafka forgets
 * the offsets of earlier ranges, because the group no longer reads them.
 */
export function begunOf(committed: Committed, ranges: readonly Range[]): number {
  const last = ranges.findLastIndex(({ kafkaTopic }) => {
    const partitions = committed.find((one) => one.topic === kafkaTopic)?.partitions ?? [];
    return partitions.some(({ offset }) => Number(offset) >= 0);
  });
  return Math.max(0, last);
}
