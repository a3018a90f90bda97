import { randomUUID } from 'node:crypto';
import type { EventLog, StoredRecord } from './types.ts';

interface ReadOptions {
  /** The offset to start from, per partition. Default: the earliest stored record. */
  from?: readonly bigint[];
  onRecord(record: StoredRecord): void;
}

const BATCH_BYTES = 4_000_000;

/** Reads a topic up to its current end with a separate group. Returns the ends of its partitions. */
export async function readTopic(
  log: Pick<EventLog, 'lag' | 'consume'>,
  topic: string,
  { from = [], onRecord }: ReadOptions,
): Promise<bigint[]> {
  const group = `read-${randomUUID()}`;
  // A group that never committed continues from the earliest stored record.
  const ranges = (await log.lag(group, [topic])).map(({ partition, committed: earliest, end }) => {
    const start = from[partition];
    return { start: start === undefined || start < earliest ? earliest : start, end };
  });
  const ends = ranges.map(({ end }) => end);
  const open = new Set(ranges.flatMap(({ start, end }, partition) => (start < end ? [partition] : [])));
  if (open.size === 0) return ends;
  const done = Promise.withResolvers<void>();
  const consumption = await log.consume({
    group,
    topics: [topic],
    maxBatchBytes: BATCH_BYTES,
    commit: 'manual',
    async handle({ partition, records, nextOffset }) {
      const range = ranges[partition];
      if (range === undefined || !open.has(partition)) return;
      try {
        for (const record of records) {
          if (record.offset >= range.start && record.offset < range.end) onRecord(record);
        }
      } catch (error) {
        done.reject(error);
      }
      if (nextOffset < range.end) return;
      open.delete(partition);
      if (open.size === 0) done.resolve();
    },
  });
  try {
    await done.promise;
  } finally {
    await consumption.stop();
  }
  return ends;
}
