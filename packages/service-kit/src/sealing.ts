import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { z } from 'zod';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Secrets as they are kept in a database. */
export interface Sealing {
  /** Encrypts a text for one owner; it opens for no other. */
  seal(text: string, owner: string): string;
  /** Throws when no key opens it for this owner. */
  open(sealed: string, owner: string): string;
  /** Whether there are secrets that open and do not seal. */
  hasOlderSecrets: boolean;
  /** Seals with the first secret what another one opens. */
  renew(sealed: string, owner: string): Renewal;
}

export type Renewal = { sealed: string } | 'sealed with the first' | 'opened by none';

interface SealingOptions {
  /** The first seals, all of them open. */
  secrets: readonly string[];
  /** What the keys are derived for: one secret set for two purposes makes two keys. */
  purpose: string;
}

/** A new token: 32 random bytes, base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What a token is looked up by: SHA-256, base64url. Any text has one. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** An environment variable that holds secrets for `createSealing`, comma separated. */
export const sealingSecrets = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .refine((list) => list.every((secret) => secret.length >= 32), 'a secret is shorter than 32 characters')
  .meta({ values: '32 or more characters each, comma separated', secret: true });

/** AES-256-GCM with keys derived by HKDF-SHA-256. */
export function createSealing({ secrets, purpose }: SealingOptions): Sealing {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  const [first] = keys;
  if (first === undefined) throw new Error(`there is no secret to seal a ${purpose} with`);
  const current = first;

  function openWith(key: Buffer, bytes: Buffer, owner: string): string | undefined {
    try {
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(owner));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([opened, decipher.final()]).toString();
    } catch {
      return undefined;
    }
  }

  function sealWith(key: Buffer, text: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  function find(sealed: string, owner: string): { text: string; isCurrent: boolean } | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    for (const key of keys) {
      const text = openWith(key, bytes, owner);
      if (text !== undefined) return { text, isCurrent: key === current };
    }
    return undefined;
  }

  return {
    hasOlderSecrets: keys.length > 1,
    seal: (text, owner) => sealWith(current, text, owner),
    open(sealed, owner) {
      const found = find(sealed, owner);
      if (found !== undefined) return found.text;
      throw new Error(`no secret opens this ${purpose}; put back the one it was sealed with`);
    },
    renew(sealed, owner) {
      const found = find(sealed, owner);
      if (found === undefined) return 'opened by none';
      return found.isCurrent ? 'sealed with the first' : { sealed: sealWith(current, found.text, owner) };
    },
  };
}
