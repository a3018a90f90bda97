import { createHash } from 'node:crypto';

const part = /^[A-Za-z0-9_=-][A-Za-z0-9_.=-]{0,199}$/;
const longestKey = 900;

/** Throws a RangeError when the text is no key: a defect of the caller, never of who uses the service. */
export function assertKey(key: string): void {
  if (key.length > longestKey || !key.split('/').every((one) => part.test(one))) {
    throw new RangeError(`not an object key: ${JSON.stringify(key.slice(0, 100))}`);
  }
}

/** Throws a RangeError when no key can begin so. */
export function assertPrefix(prefix: string): void {
  const parts = prefix.split('/');
  const last = parts.pop() ?? '';
  if (prefix.length > longestKey || !parts.every((one) => part.test(one)) || (last && !part.test(last))) {
    throw new RangeError(`not the beginning of an object key: ${JSON.stringify(prefix.slice(0, 100))}`);
  }
}

const longestReadable = 150;

/**
 * Any text as one part of a key: letters, digits, `-` and `_` stand for themselves, every other byte of its UTF-8
 * becomes `=XX`; a text that gets longer than 150 so is its SHA-256 in hex behind `==`. Different texts never meet.
 */
export function keyPart(text: string): string {
  const encoded = Array.from(Buffer.from(text.toWellFormed()), encodeByte).join('');
  if (encoded.length > longestReadable) return `==${createHash('sha256').update(text).digest('hex')}`;
  return encoded === '' ? '=' : encoded;
}

function encodeByte(byte: number): string {
  const character = String.fromCharCode(byte);
  return /[A-Za-z0-9_-]/.test(character) ? character : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
}
