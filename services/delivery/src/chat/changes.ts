import { clip } from '@switchboard/chat';
import { isObject } from '@switchboard/contracts';

const MAX_CHANGES = 5;
const MAX_VALUE = 60;

/** Says how two states of a flag differ, a line for each property. */
export function changesOf(before: unknown, after: unknown): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const lines = names.slice(0, MAX_CHANGES).map((name) => {
    const [old, now] = [simple(before[name]), simple(after[name])];
    return old === undefined || now === undefined ? `${name}: changed` : `${name}: ${old} → ${now}`;
  });
  return names.length > MAX_CHANGES ? [...lines, `${names.length - MAX_CHANGES} more changes`] : lines;
}

/** Returns a value that fits a line. Undefined for an object or list. */
export function simple(value: unknown): string | undefined {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'object') return undefined;
  return clip(String(value), MAX_VALUE);
}
