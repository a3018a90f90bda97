/** Freeing less takes longer than collecting it. */
const MIN_BYTES = 16_384;

/**
 * Frees memory that nobody uses any more; the bytes are empty from then on. Left to the garbage collector, tens of
 * megabytes of bodies and records wait for it, and each 64 of them make it look through the whole heap. Does nothing
 * for a few bytes, and for a part of a larger piece of memory.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < MIN_BYTES || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
