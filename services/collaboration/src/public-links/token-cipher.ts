import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export interface TokenCipher {
  /** Encrypts a token for one report; it opens for no other. */
  seal(token: string, owner: string): string;
  /** Throws when no secret opens it. */
  open(sealed: string, owner: string): string;
}

/** A new token: 32 random bytes, base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What a token is looked up by: SHA-256, base64url. Any text has one. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** Encrypts with the first secret (AES-256-GCM, a key derived by HKDF-SHA-256); all of them open. */
export function createTokenCipher(secrets: readonly string[]): TokenCipher {
  const keys = secrets.map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'switchboard public link', 32)),
  );
  const [current] = keys;
  if (current === undefined) throw new Error('a token cipher needs a secret');

  function openWith(key: Buffer, bytes: Buffer, owner: string): string | undefined {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      return Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString();
    } catch {
      return undefined;
    }
  }

  return {
    seal(token, owner) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, current, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(token), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
    },
    open(sealed, owner) {
      const bytes = Buffer.from(sealed, 'base64url');
      for (const key of keys) {
        const token = openWith(key, bytes, owner);
        if (token !== undefined) return token;
      }
      throw new Error('no key of LINK_SECRET opens this link; put back the one it was made with');
    },
  };
}
