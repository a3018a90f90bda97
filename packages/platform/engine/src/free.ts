import { buffersOf } from './moved.ts';

/** Freeing less memory takes longer than collecting it. */
const MIN_BYTES = 16_384;

/**
 * Frees a buffer that is no longer used, which is empty afterwards. Buffers outside of the heap otherwise wait for the
 * garbage collector, and every 64 MB of them make it scan the whole heap.
 */
export function freeBuffer(buffer: ArrayBufferLike): void {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}

/** Frees the buffer of these bytes. Does nothing for a few bytes, or for a part of a larger buffer. */
export function freeBytes({ buffer, byteLength }: Uint8Array): void {
  if (byteLength >= MIN_BYTES && byteLength === buffer.byteLength) freeBuffer(buffer);
}

/** Frees the buffers of these views, which are empty afterwards. */
export function freeViews(views: Iterable<ArrayBufferView>): void {
  for (const buffer of buffersOf(views)) freeBuffer(buffer);
}
