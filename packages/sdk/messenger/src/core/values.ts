/** Returns whether an external value is an object with properties. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the text, or an empty text for other values. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the time in milliseconds, or 0 for other values. */
export const timeOf = (value: unknown): number => Date.parse(textOf(value)) || 0;

/** Returns the list, or an empty list for other values. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns a random id of 32 hexadecimal digits. Works without a secure context, unlike `crypto.randomUUID`. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** Converts a text to the form that the API accepts: without NUL, with U+FFFD for each unpaired surrogate. */
export const sendable = (text: string): string => text.replace(/\0/g, '').replace(/\p{Cs}/gu, '\ufffd');

/** Returns the first `max` code points of a text, in the form that the API accepts. */
export const startOf = (text: string, max: number): string =>
  // Twice as many UTF-16 units contain at least as many code points.
  sendable([...text.slice(0, 2 * max)].slice(0, max).join(''));

/** Returns the last `max` code points of a text, in the form that the API accepts. */
export const endOf = (text: string, max: number): string => sendable([...text].slice(-max).join(''));
