import { freeBuffer } from './free.ts';

/** The largest buffer that is kept for reuse. */
const SCRATCH_BYTES = 1_048_576;
const MAX_KEPT = 4;

const kept: Buffer<ArrayBuffer>[] = [];
let made = 0;

/**
 * Returns a buffer for data to compress. Buffers are reused, because a new one for every batch makes V8 collect
 * garbage twice as often.
 */
export function takeScratch(bytes: number): Buffer<ArrayBuffer> {
  const free = bytes > SCRATCH_BYTES ? undefined : kept.pop();
  if (free !== undefined) return free;
  if (bytes > SCRATCH_BYTES || made === MAX_KEPT) return Buffer.allocUnsafe(bytes);
  made++;
  return Buffer.allocUnsafeSlow(SCRATCH_BYTES);
}

/** Returns a buffer that is no longer used. A large one is freed immediately instead of by the garbage collector. */
export function giveScratch(scratch: Buffer<ArrayBuffer>): void {
  if (scratch.length > SCRATCH_BYTES) freeBuffer(scratch.buffer);
  else if (scratch.length === SCRATCH_BYTES && kept.length < MAX_KEPT) kept.push(scratch);
}
