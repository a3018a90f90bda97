/**
 * When a property was set: the client's timestamp, then the arrival at ingestion, then the offset in the log.
 * Milliseconds since 1970. The offset settles arrivals of one millisecond; one person's records share a partition.
 */
export type Stamp = readonly [timestamp: number, receivedAt: number, offset: number];

/** Properties with the stamp of each. Maps, because a property may have any name, `__proto__` too. */
export interface Properties {
  values: Map<string, unknown>;
  /** Also of removed properties. */
  stamps: Map<string, Stamp>;
}

export function emptyProperties(): Properties {
  return { values: new Map(), stamps: new Map() };
}

/**
 * Sets properties as of a stamp, `null` removes; what has a newer stamp stays. The order in which changes are
 * merged, and merging one again, makes no difference. Answers whether anything changed.
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
