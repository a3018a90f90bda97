/** One difference between two JSON values. */
export interface Difference {
  /** A path such as `targeting[0].value`; empty when the whole value differs. */
  path: string;
  /** The current value; undefined when absent. */
  from: unknown;
  /** The wanted value; undefined when absent. */
  to: unknown;
}

/** Returns the differences between two JSON values. Ignores property order. */
export function differencesOf(from: unknown, to: unknown, path = ''): Difference[] {
  if (Object.is(from, to)) return [];
  if (Array.isArray(from) && Array.isArray(to)) {
    return Array.from({ length: Math.max(from.length, to.length) }, (_, index) =>
      differencesOf(from[index], to[index], `${path}[${index}]`),
    ).flat();
  }
  if (isRecord(from) && isRecord(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) =>
      differencesOf(from[name], to[name], path === '' ? name : `${path}.${name}`),
    );
  }
  return [{ path, from, to }];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
