import type { FlagValue } from './types.ts';

/**
 * Returns the value of a flag. Returns the fallback if the flag is missing, null, or of another type than the
 * fallback.
 */
export function flagValue<K extends string, V>(
  flags: Readonly<Record<string, unknown>>,
  key: K,
  fallback: V,
): FlagValue<K, V> {
  const value = Object.hasOwn(flags, key) ? flags[key] : undefined;
  return isLike<FlagValue<K, V>>(value, fallback) ? value : standIn(fallback);
}

const isLike = <T>(value: unknown, fallback: unknown): value is T =>
  value !== undefined &&
  value !== null &&
  (fallback === null ||
    fallback === undefined ||
    (typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback)));

// The types of the caller guarantee this for both.
const standIn = <T>(fallback: unknown): T => fallback as T;
