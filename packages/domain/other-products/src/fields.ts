import { isObject } from '@switchboard/contracts';

/** Fields of a message of another product. Nothing guarantees their types. */
export type Fields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Returns a text that is not empty. Products accept numbers as ids. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns a time in the form of our API: from a text, or from milliseconds since 1970. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const time = new Date(value);
  const isKept = time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999;
  return isKept ? time.toISOString() : undefined;
}

/** Returns the fields that have a value. */
export function known(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Returns the fields without these. */
export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}
