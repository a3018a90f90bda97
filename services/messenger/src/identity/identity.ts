import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IdentitySecretSummary } from '@switchboard/contracts';
import {
  type Clock,
  Conflict,
  Forbidden,
  type Logger,
  newToken,
  type Sealing,
  sealAnew,
} from '@switchboard/service-kit';
import { newId } from '../ids.ts';
import type { IdentityStore, SealedSecret } from './store.ts';

/** Two, so that a new one can be deployed before the old one is removed. */
const MOST_LIVE = 2;

interface IdentityOptions {
  store: IdentityStore;
  sealing: Sealing;
  clock: Clock;
}

export type Identity = ReturnType<typeof createIdentity>;

/** Identity secrets of projects, and what they prove. */
export function createIdentity({ store, sealing, clock }: IdentityOptions) {
  return {
    async list(projectId: string): Promise<IdentitySecretSummary[]> {
      const secrets = await store.ofProject(projectId);
      return secrets.map(({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() }));
    },

    async create(projectId: string): Promise<{ id: string; secret: string }> {
      const id = newId('ids');
      const secret = newToken();
      const sealed = sealing.seal(secret, ownerOf(projectId, id));
      const added = await store.addUpTo(MOST_LIVE, { id, projectId, sealed, createdAt: clock.now() });
      if (!added) throw new Conflict('Two identity secrets are live already; delete one of them first.');
      return { id, secret };
    },

    remove: store.remove,

    /** Seals all secrets with the first of IDENTITY_SECRET, where there are several. */
    sealAnew: (logger: Logger, signal: AbortSignal) =>
      sealAnew<SealedSecret & { owner: string }>(
        {
          sealing,
          what: 'identity secrets',
          async page(after) {
            const secrets = await store.page(after?.id);
            return secrets.map((secret) => ({ ...secret, owner: ownerOf(secret.projectId, secret.id) }));
          },
          replace: store.replaceSealed,
          logger,
        },
        signal,
      ),

    /**
     * Whether the hash proves the user; false in a project without identity secrets. Throws Forbidden in one with
     * secrets when the hash is missing or of none of them.
     */
    async proves(projectId: string, userId: string, userHash: string | null): Promise<boolean> {
      const secrets = await store.ofProject(projectId);
      if (secrets.length === 0) return false;
      const given = Buffer.from(userHash !== null && /^[0-9a-f]{64}$/.test(userHash) ? userHash : '', 'hex');
      let isProven = false;
      for (const { id, sealed } of secrets) {
        const secret = sealing.open(sealed, ownerOf(projectId, id));
        const right = createHmac('sha256', secret).update(userId).digest();
        if (given.length === right.length && timingSafeEqual(given, right)) isProven = true;
      }
      if (isProven) return true;
      throw new Forbidden(
        'userHash: not the lower-case hex HMAC-SHA256 of userId under an identity secret of the project',
      );
    },
  };
}

const ownerOf = (projectId: string, id: string) => JSON.stringify([projectId, id]);
