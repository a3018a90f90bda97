import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { API_TOKEN_PATTERN, type ApiTokenKind } from '@switchboard/contracts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIXES: Readonly<Record<ApiTokenKind, string>> = { personal: 'sbpat_', service: 'sbsvc_' };
const PREFIX_LENGTH = 6;
const ID_LENGTH = 32;
/** 190 random bits. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

/** Returns a new token: 32 random bytes, base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the lookup hash of a token: SHA-256, base64url. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/**
 * Returns a new value of the token with this id (`tok_` and 32 hex digits): `sbpat_` or `sbsvc_`, the digits of the
 * id, 32 random base62 characters, and a CRC-32 of all of these in base62, which lets scanners detect made-up tokens.
 */
export function newApiToken(kind: ApiTokenKind, id: string): string {
  const secret = Array.from({ length: SECRET_LENGTH }, () => BASE62.charAt(randomInt(BASE62.length)));
  const value = `${PREFIXES[kind]}${id.slice('tok_'.length)}${secret.join('')}`;
  return value + checksum(value);
}

/** Whether a credential has the prefix of an API token. An issuer's access token never begins like that. */
export function isApiToken(credential: string): boolean {
  return Object.values(PREFIXES).some((prefix) => credential.startsWith(prefix));
}

/** Returns the id of the token with this value; undefined for a value that was never issued. */
export function apiTokenId(value: string): string | undefined {
  if (!API_TOKEN_PATTERN.test(value)) return undefined;
  const end = value.length - CHECKSUM_LENGTH;
  if (checksum(value.slice(0, end)) !== value.slice(end)) return undefined;
  return `tok_${value.slice(PREFIX_LENGTH, PREFIX_LENGTH + ID_LENGTH)}`;
}

/** Whether the value has this hash. Compares in constant time. */
export function isValueOf(value: string, hash: string): boolean {
  const given = Buffer.from(hashToken(value));
  const expected = Buffer.from(hash);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function checksum(text: string): string {
  let left = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62.charAt(left % BASE62.length) + digits;
    left = Math.floor(left / BASE62.length);
  }
  return digits;
}
