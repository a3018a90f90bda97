import type { Published } from './types.ts';

/** Of the records of one send, the offset of the first in each partition; NaN where the log did not say. */
export type FirstOffsets = (topic: string, partition: number) => number;

export interface FirstOffset {
  topic: string;
  partition: number;
  offset: number;
}

/** Of two for one partition the later holds. */
export function firstOffsets(found: Iterable<FirstOffset>): FirstOffsets {
  const byTopic = new Map<string, number[]>();
  for (const { topic, partition, offset } of found) {
    const offsets = byTopic.get(topic) ?? [];
    byTopic.set(topic, offsets);
    if (!((offsets[partition] ?? -1) > offset)) offsets[partition] = offset;
  }
  return (topic, partition) => byTopic.get(topic)?.[partition] ?? Number.NaN;
}

/** Records stored at these offsets. */
export function publishedAt(offsets: readonly number[]): Published {
  return {
    offsetOf(index) {
      const offset = offsets[index];
      return offset === undefined || Number.isNaN(offset) ? undefined : BigInt(offset);
    },
  };
}
