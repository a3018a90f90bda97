/** Larger ones are not kept. */
const SCRATCH_BYTES = 1_048_576;
/** More are in use only while Kafka is slow. */
const MAX_KEPT = 4;

const kept: Buffer[] = [];

/**
 * A buffer for what is compressed. They are used again, since the memory of a new one for every batch has V8 collect
 * garbage twice as often.
 */
export function takeScratch(bytes: number): Buffer {
  if (bytes > SCRATCH_BYTES) return Buffer.allocUnsafe(bytes);
  return kept.pop() ?? Buffer.allocUnsafeSlow(SCRATCH_BYTES);
}

/** Nothing may use it any more. */
export function giveScratch(scratch: Buffer): void {
  if (scratch.length === SCRATCH_BYTES && kept.length < MAX_KEPT) kept.push(scratch);
}
