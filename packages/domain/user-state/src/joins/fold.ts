import { type Bounds, isNewer, type Properties, type Stamp, sizeOf } from '../merge.ts';

/**
 * Folds the properties of several ids into those of their person: of each name the newest value, the first of equally
 * new ones. Beyond the bounds, the oldest removals are left out, then the oldest values.
 */
export function foldProperties(
  all: readonly Properties[],
  { maxCount, maxBytes }: Pick<Bounds, 'maxCount' | 'maxBytes'>,
): Properties {
  const values = new Map<string, unknown>();
  const stamps = new Map<string, Stamp>();
  for (const one of all) {
    for (const [name, stamp] of one.stamps) {
      const last = stamps.get(name);
      if (last !== undefined && !isNewer(stamp, last)) continue;
      stamps.set(name, stamp);
      if (one.values.has(name)) values.set(name, one.values.get(name));
      else values.delete(name);
    }
  }
  let bytes = 0;
  for (const name of stamps.keys()) bytes += sizeOf(name, values.get(name));
  if (stamps.size > maxCount || bytes > maxBytes) {
    const oldest = [...stamps].sort(
      ([a, first], [b, second]) =>
        Number(values.has(a)) - Number(values.has(b)) || (isNewer(first, second) ? 1 : -1),
    );
    for (const [name] of oldest) {
      if (stamps.size <= maxCount && bytes <= maxBytes) break;
      bytes -= sizeOf(name, values.get(name));
      stamps.delete(name);
      values.delete(name);
    }
  }
  return { values, stamps, bytes };
}
