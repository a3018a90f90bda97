/** Whether a value read from outside is an object with properties. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text, or an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The list, or an empty one. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A random id of 32 hexadecimal digits. Works without a secure context, unlike `crypto.randomUUID`. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The text in the form that the API accepts: without NUL, with U+FFFD for each unpaired surrogate. */
export const sendable = (text: string): string => text.replace(/\0/g, '').replace(/\p{Cs}/gu, '\ufffd');

/** The first `max` code points of a text, sendable. */
export const startOf = (text: string, max: number): string =>
  // Twice as many UTF-16 units hold at least as many code points.
  sendable([...text.slice(0, 2 * max)].slice(0, max).join(''));

/** The last `max` code points of a text, sendable. */
export const endOf = (text: string, max: number): string => sendable([...text].slice(-max).join(''));
