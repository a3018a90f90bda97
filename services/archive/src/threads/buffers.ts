/**
 * Buffers outside the heap that are let go when they are no longer needed. Left to the garbage collector, it looks
 * through the whole heap each time that some 64 MB of them were made.
 */

const taken = new WeakMap<object, ArrayBuffer[]>();

/** Marks an argument or a result of a call that takes these buffers along: they are empty here from then on. */
export function moved<T extends object>(value: T, views: Iterable<ArrayBufferView>): T {
  taken.set(value, buffersOf(views));
  return value;
}

/** What to transfer with a message of birpc. */
export function transferOf({ a: args = [], r: result }: { a?: unknown[]; r?: unknown }): ArrayBuffer[] {
  return [result, ...args].flatMap((value) => taken.get(value as object) ?? []);
}

/** Frees what is below these views, which are empty from then on. */
export function free(views: Iterable<ArrayBufferView>): void {
  for (const buffer of buffersOf(views)) if (!buffer.detached) buffer.transfer(0);
}

function buffersOf(views: Iterable<ArrayBufferView>): ArrayBuffer[] {
  return [...new Set(Array.from(views, ({ buffer }) => buffer))].filter((one) => one instanceof ArrayBuffer);
}
