/** Freeing less memory takes longer than collecting it. */
const MIN_BYTES = 16_384;

/**
 * Frees memory that is no longer used. The bytes are empty afterwards. Otherwise tens of megabytes of bodies
 * and records wait for the garbage collector, and every 64 megabytes make it scan the whole heap. Does nothing
 * for a few bytes, or for a part of a larger buffer.
 */
export function free({ buffer, byteLength }: Uint8Array): void {
  if (byteLength < MIN_BYTES || byteLength !== buffer.byteLength) return;
  if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}
