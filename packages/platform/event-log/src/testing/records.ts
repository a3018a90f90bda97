import type { OutgoingRecord } from '../types.ts';

export function record(value: string | null, partition = 0, key: string | null = null): OutgoingRecord {
  return { partition, key, value: value === null ? null : Buffer.from(value), headers: {} };
}
