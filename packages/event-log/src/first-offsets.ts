import type { Published } from './types.ts';

/** The offset of the first record of a send in each partition. NaN if the log did not return it. */
export type FirstOffsets = (topic: string, partition: number) => number;

export interface FirstOffset {
  topic: string;
  partition: number;
  offset: number;
}

/** If a partition occurs more than once, its greatest offset is used. */
export function firstOffsets(stored: Iterable<FirstOffset>): FirstOffsets {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition, offset } of stored) {
    const offsets = byTopic.get(topic) ?? [];
    byTopic.set(topic, offsets);
    if (!((offsets[partition] ?? -1) > offset)) offsets[partition] = offset;
  }
  return (topic, partition) => byTopic.get(topic)?.[partition] ?? Number.NaN;
}

/** The result of a publish whose records have these offsets. */
export function publishedAt(offsets: readonly number[]): Published {
  return {
    offsetOf(index) {
      const offset = offsets[index];
      return offset === undefined || Number.isNaN(offset) ? undefined : BigInt(offset);
    },
  };
}
