import { getHeapStatistics } from 'node:v8';

/** What a service without load takes: its code, and 48 MiB of young generation as the images run it. */
const BASE_BYTES = 96 * 1024 * 1024;

/** A share of what this process's heap has for data, in bytes, up to a maximum. At least a mebibyte. */
export function shareOfHeap(share: number, maxBytes: number): number {
  const bytes = share * (getHeapStatistics().heap_size_limit - BASE_BYTES);
  return Math.floor(Math.min(maxBytes, Math.max(1024 * 1024, bytes)));
}
