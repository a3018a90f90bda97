import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const MIB = 1024 * 1024;

/** The largest semi-space of the images in MiB. V8's default lets the young generation exceed 150 MB after load. */
export const SEMI_SPACE_MIB = 16;

/** The Node.js flag for the largest semi-space. */
export const SEMI_SPACE_FLAG = `--max-semi-space-size=${SEMI_SPACE_MIB}`;

/** The young generation: three semi-spaces. */
export const YOUNG_BYTES = 3 * SEMI_SPACE_MIB * MIB;

/** The memory of an idle service: its code and the young generation. */
const BASE_BYTES = 48 * MIB + YOUNG_BYTES;

/**
 * The glibc settings of the images. Without them, the larger the freed buffers were, the more memory glibc keeps. With
 * the thresholds that it starts with, each compression of a batch would request its memory from the system again.
 */
export const MALLOC_SETTINGS = {
  MALLOC_TRIM_THRESHOLD_: String(2 * MIB),
  MALLOC_MMAP_THRESHOLD_: String(MIB),
} as const;

/** Returns a share of this process's heap for data in bytes, up to a maximum. At least one mebibyte. */
export function shareOfHeap(share: number, maxBytes: number): number {
  const bytes = share * (getHeapStatistics().heap_size_limit - BASE_BYTES);
  return Math.floor(Math.min(maxBytes, Math.max(MIB, bytes)));
}

/**
 * Lets the heap grow by this percentage of its live size before the next collection, within its limit. V8 grows to four
 * times the live size by default and returns little of it.
 */
export function growHeapBy(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
