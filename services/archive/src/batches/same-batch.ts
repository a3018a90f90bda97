import type { RecordBatch } from '@switchboard/event-log';

type Read = Pick<RecordBatch, 'records' | 'nextOffset'>;

/**
 * Whether two batches of a partition have the same records. By their offsets, because every attempt may hand over an
 * object of its own; and by time, because a recreated topic uses offsets again.
 */
export function isSameBatch(a: Read, b: Read): boolean {
  const [first, other] = [a.records[0], b.records[0]];
  if (first?.offset !== other?.offset || first?.timestamp !== other?.timestamp) return false;
  return a.nextOffset === b.nextOffset;
}
