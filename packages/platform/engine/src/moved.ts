const buffers = new WeakMap<object, ArrayBuffer[]>();

/**
 * Marks a value that takes these buffers along to another thread. They are empty here afterwards. Copying megabytes
 * takes milliseconds of the event loop. Nothing else may use the buffers.
 */
export function moved<T extends object>(value: T, views: Iterable<ArrayBufferView>): T {
  buffers.set(value, buffersOf(views));
  return value;
}

/** Returns the buffers that move with these values. */
export function buffersMovedWith(values: readonly unknown[]): ArrayBuffer[] {
  return values.flatMap((value) => buffers.get(value as object) ?? []);
}

/** Returns the buffers of these views, each once. */
export function buffersOf(views: Iterable<ArrayBufferView>): ArrayBuffer[] {
  return [...new Set(Array.from(views, ({ buffer }) => buffer))].filter((one) => one instanceof ArrayBuffer);
}
