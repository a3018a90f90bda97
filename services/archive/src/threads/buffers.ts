import { freeBuffer } from '@switchboard/engine';

const taken = new WeakMap<object, ArrayBuffer[]>();

/** Marks an argument or result of a call that transfers these buffers. They are empty here afterwards. */
export function moved<T extends object>(value: T, views: Iterable<ArrayBufferView>): T {
  taken.set(value, buffersOf(views));
  return value;
}

/** Returns the buffers to transfer with a birpc message. */
export function transferOf({ a: args = [], r: result }: { a?: unknown[]; r?: unknown }): ArrayBuffer[] {
  return [result, ...args].flatMap((value) => taken.get(value as object) ?? []);
}

/** Frees the buffers of these views, which are empty afterwards. */
export function free(views: Iterable<ArrayBufferView>): void {
  for (const buffer of buffersOf(views)) freeBuffer(buffer);
}

function buffersOf(views: Iterable<ArrayBufferView>): ArrayBuffer[] {
  return [...new Set(Array.from(views, ({ buffer }) => buffer))].filter((one) => one instanceof ArrayBuffer);
}
