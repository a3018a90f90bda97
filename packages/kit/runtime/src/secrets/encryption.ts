import { hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import { z } from 'zod';

/** Encrypts secrets that are stored in a database. */
export interface Encryption {
  /** Encrypts with the first secret. The result decrypts only for the same context, such as the id of a row. */
  encrypt(text: string, context: string): Promise<string>;
  /** Decrypts a text. Throws if none of the secrets decrypts it for this context. */
  decrypt(encrypted: string, context: string): Promise<string>;
  /** Whether there are secrets after the first. They are only used to decrypt. */
  hasOlderSecrets: boolean;
  /** Encrypts a text again with the first secret if another secret encrypted it. */
  reencrypt(encrypted: string, context: string): Promise<Reencryption>;
}

export type Reencryption = { encrypted: string } | 'current' | 'undecryptable';

interface EncryptionOptions {
  /** The first secret encrypts; all of them decrypt. */
  secrets: readonly string[];
  /** The purpose of the derived keys. The same secret gives different keys for different purposes. */
  purpose: string;
}

interface Key {
  id: string;
  bytes: Uint8Array;
}

const KEY_MANAGEMENT = 'dir';
const ALGORITHM = 'A256GCM';

/** An environment variable with comma-separated secrets for `createEncryption`. */
export const encryptionSecrets = z
  .string()
  .transform((list) => list.split(',').map((secret) => secret.trim()))
  .refine((list) => list.every((secret) => secret.length >= 32), 'a secret is shorter than 32 characters')
  .meta({ values: '32 or more characters each, comma separated', secret: true });

/**
 * Creates JSON Web Encryption (RFC 7516, compact): AES-256-GCM with keys derived by HKDF-SHA-256. The protected
 * header names the key (`kid`), which selects the right one after a rotation, and the context (`ctx`).
 */
export function createEncryption({ secrets, purpose }: EncryptionOptions): Encryption {
  const keys = secrets.map((secret) => deriveKey(secret, purpose));
  const [first] = keys;
  if (first === undefined) throw new Error(`no secret to encrypt the ${purpose}`);
  const current = first;
  const byId = new Map(keys.map((key) => [key.id, key]));

  function encrypt(text: string, context: string): Promise<string> {
    return new CompactEncrypt(Buffer.from(text))
      .setProtectedHeader({ alg: KEY_MANAGEMENT, enc: ALGORITHM, kid: current.id, ctx: context })
      .encrypt(current.bytes);
  }

  async function find(encrypted: string, context: string): Promise<{ key: Key; text: string } | undefined> {
    try {
      const key = byId.get(decodeProtectedHeader(encrypted).kid ?? '');
      if (key === undefined) return undefined;
      const algorithms = {
        keyManagementAlgorithms: [KEY_MANAGEMENT],
        contentEncryptionAlgorithms: [ALGORITHM],
      };
      const { plaintext, protectedHeader } = await compactDecrypt(encrypted, key.bytes, algorithms);
      if (protectedHeader['ctx'] !== context) return undefined;
      return { key, text: Buffer.from(plaintext).toString() };
    } catch {
      return undefined;
    }
  }

  return {
    hasOlderSecrets: keys.length > 1,
    encrypt,
    async decrypt(encrypted, context) {
      const found = await find(encrypted, context);
      if (found !== undefined) return found.text;
      throw new Error(`no secret decrypts the ${purpose}; restore the secret that encrypted it`);
    },
    async reencrypt(encrypted, context) {
      const found = await find(encrypted, context);
      if (found === undefined) return 'undecryptable';
      return found.key === current ? 'current' : { encrypted: await encrypt(found.text, context) };
    },
  };
}

/** Derives a key and its id. The id is derived like the key, so it reveals nothing about the secret. */
function deriveKey(secret: string, purpose: string): Key {
  const derive = (info: string, length: number) => Buffer.from(hkdfSync('sha256', secret, '', info, length));
  return { id: derive(`${purpose} kid`, 9).toString('base64url'), bytes: derive(purpose, 32) };
}
