import { hash, randomBytes } from 'node:crypto';

/** Returns a new token: 32 random bytes, base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the lookup hash of a token: SHA-256, base64url. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
