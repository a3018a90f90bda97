import { createHash } from 'node:crypto';

const PART = /^[A-Za-z0-9_=-][A-Za-z0-9_.=-]{0,199}$/;
const MAX_KEY_LENGTH = 900;

/** Throws a RangeError for an invalid key, which is a bug in the calling code. */
export function assertKey(key: string): void {
  if (key.length > MAX_KEY_LENGTH || !key.split('/').every((one) => PART.test(one))) {
    throw new RangeError(`not an object key: ${JSON.stringify(key.slice(0, 100))}`);
  }
}

/** Throws a RangeError for a prefix that no valid key can have. */
export function assertPrefix(prefix: string): void {
  const parts = prefix.split('/');
  const last = parts.pop() ?? '';
  if (prefix.length > MAX_KEY_LENGTH || !parts.every((one) => PART.test(one)) || (last && !PART.test(last))) {
    throw new RangeError(`not the beginning of an object key: ${JSON.stringify(prefix.slice(0, 100))}`);
  }
}

const MAX_READABLE_LENGTH = 150;

/**
 * Encodes any text as one part of a key. Letters, digits, `-` and `_` stay. Every other byte of its UTF-8 becomes
 * `=XX`. A result longer than 150 characters is replaced by `==` and the SHA-256 in hex. No two texts collide.
 */
export function keyPart(text: string): string {
  const encoded = Array.from(Buffer.from(text.toWellFormed()), encodeByte).join('');
  if (encoded.length > MAX_READABLE_LENGTH) return `==${createHash('sha256').update(text).digest('hex')}`;
  return encoded === '' ? '=' : encoded;
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9_-]/.test(character) ? character : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
