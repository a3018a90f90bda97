import { getHeapStatistics } from 'node:v8';

/** The memory of an idle service: its code, and 48 MiB of young generation with the settings of the images. */
const BASE_BYTES = 96 * 1024 * 1024;

/** Returns a share of this process's heap for data in bytes, up to a maximum. At least one mebibyte. */
export function shareOfHeap(share: number, maxBytes: number): number {
  const bytes = share * (getHeapStatistics().heap_size_limit - BASE_BYTES);
  return Math.floor(Math.min(maxBytes, Math.max(1024 * 1024, bytes)));
}
