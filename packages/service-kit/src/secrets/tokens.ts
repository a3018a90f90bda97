import { hash, randomBytes } from 'node:crypto';

/** A new token: 32 random bytes, base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash by which a token is looked up: SHA-256, base64url. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}
