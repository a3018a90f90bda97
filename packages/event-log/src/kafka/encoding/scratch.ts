/** Larger ones are not kept. */
const SCRATCH_BYTES = 1_048_576;
const MAX_KEPT = 4;

const kept: Buffer<ArrayBuffer>[] = [];
let made = 0;

/**
 * A buffer for what is compressed. They are used again, since the memory of a new one for every batch has V8 collect
 * garbage twice as often.
 */
export function takeScratch(bytes: number): Buffer<ArrayBuffer> {
  const free = bytes > SCRATCH_BYTES ? undefined : kept.pop();
  if (free !== undefined) return free;
  if (bytes > SCRATCH_BYTES || made === MAX_KEPT) return Buffer.allocUnsafe(bytes);
  made++;
  return Buffer.allocUnsafeSlow(SCRATCH_BYTES);
}

/** Nothing may use it any more. A large one is freed, and does not wait for the garbage collector. */
export function giveScratch(scratch: Buffer<ArrayBuffer>): void {
  if (scratch.length > SCRATCH_BYTES) scratch.buffer.transfer(0);
  else if (scratch.length === SCRATCH_BYTES && kept.length < MAX_KEPT) kept.push(scratch);
}
