/**
 * When a property was set, in milliseconds since 1970: the client's timestamp, then the arrival at ingestion, then
 * the offset in the log. The offset decides between arrivals in one millisecond; one person's records share a
 * partition.
 */
export type Stamp = readonly [timestamp: number, receivedAt: number, offset: number];

/** Properties with the stamp of each. Maps, because a property may have any name, including `__proto__`. */
export interface Properties {
  values: Map<string, unknown>;
  /** Includes removed properties. */
  stamps: Map<string, Stamp>;
}

export function emptyProperties(): Properties {
  return { values: new Map(), stamps: new Map() };
}

/**
 * Sets properties as of a stamp; `null` removes one. A property with a newer stamp stays. The result does not
 * depend on the order of merges or on repeated ones. Returns whether anything changed.
 */
export function mergeProperties(
  { values, stamps }: Properties,
  changes: Readonly<Record<string, unknown>>,
  stamp: Stamp,
): boolean {
  let hasChanged = false;
  for (const [name, value] of Object.entries(changes)) {
    const last = stamps.get(name);
    if (last !== undefined && !isNewer(stamp, last)) continue;
    hasChanged = true;
    stamps.set(name, stamp);
    if (value === null) values.delete(name);
    else values.set(name, value);
  }
  return hasChanged;
}

function isNewer(stamp: Stamp, last: Stamp): boolean {
  if (stamp[0] !== last[0]) return stamp[0] > last[0];
  if (stamp[1] !== last[1]) return stamp[1] > last[1];
  return stamp[2] > last[2];
}
