/**
 * When a property was set, in milliseconds since 1970: the client's timestamp (negative for
 * traits that are set once), the arrival at ingestion, and the
 * offset in the log. The offset orders arrivals in the same millisecond, because the records of a person share a
 * partition.
 */
export type Stamp = readonly [timestamp: number, receivedAt: number, offset: number];

/** Properties with a stamp each. Maps, because a property may have any name, including `__proto__`. */
export interface Properties {
  readonly values: Map<string, unknown>;
  /** Includes removed properties. */
  readonly stamps: Map<string, Stamp>;
  /** The size as JSON. A removed property counts as null. */
  bytes: number;
}

/** The bounds of properties, and the messages for changes that exceed them. Removed properties count as null. */
export interface Bounds {
  maxCount: number;
  maxBytes: number;
  tooMany: string;
  tooLarge: string;
}

/** A change would exceed a bound. The message contains the reason. */
export class OutOfBounds extends Error {
  override name = 'OutOfBounds';
}

export function toProperties(values: object, stamps: Readonly<Record<string, Stamp>>): Properties {
  const properties = { values: new Map(Object.entries(values)), stamps: new Map(Object.entries(stamps)) };
  let bytes = 0;
  for (const name of properties.stamps.keys()) bytes += sizeOf(name, properties.values.get(name));
  return { ...properties, bytes };
}

/**
 * Plans to set properties as of a stamp. `null` removes a property. A property with a newer stamp stays. Within the
 * bounds, neither the order nor the repetition of changes affects the result. Beyond them, the oldest removals are
 * forgotten. Returns a function that applies the plan, or undefined if nothing changes. Throws OutOfBounds.
 */
export function planMerge(
  properties: Properties,
  changes: Readonly<Record<string, unknown>>,
  stamp: Stamp,
  bounds: Bounds,
): (() => void) | undefined {
  const { values, stamps } = properties;
  const newer = Object.entries(changes).filter(([name]) => {
    const last = stamps.get(name);
    return last === undefined || isNewer(stamp, last);
  });
  if (newer.length === 0) return undefined;
  let { bytes } = properties;
  let count = stamps.size;
  for (const [name, value] of newer) {
    bytes += sizeOf(name, value);
    if (stamps.has(name)) bytes -= sizeOf(name, values.get(name));
    else count++;
  }
  const forgotten: string[] = [];
  if (count > bounds.maxCount || bytes > bounds.maxBytes) {
    for (const name of removedNames({ values, stamps }, newer, stamp)) {
      if (count <= bounds.maxCount && bytes <= bounds.maxBytes) break;
      forgotten.push(name);
      count--;
      bytes -= sizeOf(name, null);
    }
    // Properties that already exceed a bound may still shrink.
    if (count > bounds.maxCount && count > stamps.size) throw new OutOfBounds(bounds.tooMany);
    if (bytes > bounds.maxBytes && bytes > properties.bytes) throw new OutOfBounds(bounds.tooLarge);
  }
  return () => {
    for (const [name, value] of newer) {
      stamps.set(name, stamp);
      if (value === null) values.delete(name);
      else values.set(name, value);
    }
    for (const name of forgotten) stamps.delete(name);
    properties.bytes = bytes;
  };
}

/** Returns the names that are removed after the changes, the oldest removal first. */
function removedNames(
  { values, stamps }: Pick<Properties, 'values' | 'stamps'>,
  changes: readonly [string, unknown][],
  stamp: Stamp,
): string[] {
  const removed = new Map([...stamps].filter(([name]) => !values.has(name)));
  for (const [name, value] of changes) {
    if (value === null) removed.set(name, stamp);
    else removed.delete(name);
  }
  return [...removed].sort(([, a], [, b]) => (isNewer(a, b) ? 1 : -1)).map(([name]) => name);
}

export function sizeOf(name: string, value: unknown): number {
  // Includes the colon and the comma.
  return Buffer.byteLength(JSON.stringify(name)) + Buffer.byteLength(JSON.stringify(value ?? null)) + 2;
}

export function isNewer(stamp: Stamp, last: Stamp): boolean {
  if (stamp[0] !== last[0]) return stamp[0] > last[0];
  // The first arrival of a trait that is set once wins.
  const [one, other] = stamp[0] < 0 ? [last, stamp] : [stamp, last];
  if (one[1] !== other[1]) return one[1] > other[1];
  return one[2] > other[2];
}
