import type { RecordBatch } from '@switchboard/event-log';

type Read = Pick<RecordBatch, 'records' | 'nextOffset'>;

/**
 * Whether two batches of a partition have the same records. Compares offsets, because each attempt may pass a
 * different object, and times, because a recreated topic reuses offsets.
 */
export function isSameBatch(a: Read, b: Read): boolean {
  const [first, other] = [a.records[0], b.records[0]];
  if (first?.offset !== other?.offset || first?.timestamp !== other?.timestamp) return false;
  return a.nextOffset === b.nextOffset;
}
