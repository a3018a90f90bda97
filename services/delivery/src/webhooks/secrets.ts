import { randomBytes } from 'node:crypto';
import type { Encryption } from '@switchboard/runtime';

/** How long the previous secret of a webhook signs too, in milliseconds. */
export const OVERLAP_MS = 24 * 3_600_000;

/** Standard Webhooks: "between 24 bytes and 64 bytes". */
const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** Returns a signing secret in the format of Standard Webhooks. */
export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Returns the bytes of a signing secret. */
export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64');

interface Encrypted {
  projectId: string;
  id: string;
  secret: string;
  previousSecret: string | null;
  previousUntil: Date | null;
}

/** Encrypts a secret or the URL for the row of its webhook. */
export const encryptSecret = (
  encryption: Encryption,
  row: Pick<Encrypted, 'projectId' | 'id'>,
  secret: string,
) => encryption.encrypt(secret, contextOf(row));

/** Returns the secrets that sign now, the newest first. */
export async function signingSecrets(encryption: Encryption, row: Encrypted, now: Date): Promise<string[]> {
  const { previousSecret, previousUntil } = row;
  const isPreviousValid = previousSecret !== null && previousUntil !== null && now < previousUntil;
  const encrypted = isPreviousValid ? [row.secret, previousSecret] : [row.secret];
  return Promise.all(encrypted.map((one) => encryption.decrypt(one, contextOf(row))));
}

/** Returns the URL of a webhook. It may contain a secret, such as those of Slack. */
export async function urlOf(
  encryption: Encryption,
  row: Pick<Encrypted, 'projectId' | 'id'> & { url: string | null; encryptedUrl: string | null },
): Promise<string> {
  if (row.encryptedUrl !== null) return encryption.decrypt(row.encryptedUrl, contextOf(row));
  if (row.url !== null) return row.url;
  throw new Error('the webhook has no URL');
}

/** The context in which the secrets of a webhook are encrypted. */
export const contextOf = ({ projectId, id }: Pick<Encrypted, 'projectId' | 'id'>): string =>
  JSON.stringify([projectId, id]);
