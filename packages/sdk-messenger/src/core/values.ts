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
