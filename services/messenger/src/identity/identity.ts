import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IdentitySecretSummary } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import { type AuditedChange, Conflict, Forbidden } from '@switchboard/http';
import { type Clock, type Encryption, type Logger, newToken, reencryptAll } from '@switchboard/runtime';
import type { EncryptedSecret, IdentityStore } from './store.ts';

/** The maximum number of secrets. Two allow a new secret to be deployed before the old one is removed. */
const MAX_SECRETS = 2;

interface IdentityOptions {
  store: IdentityStore;
  encryption: Encryption;
  clock: Clock;
}

export type Identity = ReturnType<typeof createIdentity>;

/** Manages a project's identity secrets, which verify that a visitor is the user they claim to be. */
export function createIdentity({ store, encryption, clock }: IdentityOptions) {
  return {
    async list(projectId: string): Promise<IdentitySecretSummary[]> {
      const secrets = await store.ofProject(projectId);
      return secrets.map(({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() }));
    },

    async create(change: AuditedChange, projectId: string): Promise<{ id: string; secret: string }> {
      const id = newId('ids');
      const secret = newToken();
      const encrypted = await encryption.encrypt(secret, contextOf(projectId, id));
      change.describe({ object: `identity-secret:${id}` });
      const added = await store.addUpTo(
        MAX_SECRETS,
        { id, projectId, encrypted, createdAt: clock.now() },
        change,
      );
      if (!added)
        throw new Conflict('The project already has two identity secrets; delete one of them first.');
      return { id, secret };
    },

    remove: (change: AuditedChange, projectId: string, id: string) => store.remove(projectId, id, change),

    /** Encrypts every secret with the first value of IDENTITY_SECRET, if there are several. */
    reencrypt: (logger: Logger, signal: AbortSignal) =>
      reencryptAll<EncryptedSecret & { context: string }>(
        {
          encryption,
          what: 'identity secrets',
          async page(after) {
            const secrets = await store.page(after?.id);
            return secrets.map((secret) => ({
              ...secret,
              context: contextOf(secret.projectId, secret.id),
            }));
          },
          replace: store.replaceEncrypted,
          logger,
        },
        signal,
      ),

    /**
     * Returns whether the hash verifies the user. Returns false if the project has no identity secrets. Throws
     * Forbidden if it has secrets and the hash is missing or matches none of them.
     */
    async verify(projectId: string, userId: string, userHash: string | null): Promise<boolean> {
      const secrets = await store.ofProject(projectId);
      if (secrets.length === 0) return false;
      const given = Buffer.from(userHash !== null && /^[0-9a-f]{64}$/.test(userHash) ? userHash : '', 'hex');
      let isVerified = false;
      for (const { id, encrypted } of secrets) {
        const secret = await encryption.decrypt(encrypted, contextOf(projectId, id));
        const expected = createHmac('sha256', secret).update(userId).digest();
        if (given.length === expected.length && timingSafeEqual(given, expected)) isVerified = true;
      }
      if (isVerified) return true;
      throw unverified();
    },
  };
}

/** The error for a user that no hash verifies. */
export const unverified = () =>
  new Forbidden(
    'userHash: not the lower-case hex HMAC-SHA256 of userId with an identity secret of the project',
  );

const contextOf = (projectId: string, id: string) => JSON.stringify([projectId, id]);
