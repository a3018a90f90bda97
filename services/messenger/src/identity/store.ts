import { type Db, type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { identitySecrets } from '../schema/index.ts';

export interface EncryptedSecret {
  id: string;
  projectId: string;
  encrypted: string;
  createdAt: Date;
}

const PAGE_SIZE = 500;

export interface IdentityStore {
  /** Returns the secrets of a project, oldest first. */
  ofProject(projectId: string): Promise<EncryptedSecret[]>;
  /** Adds a secret. Returns false if the project already has `max` secrets. */
  addUpTo(max: number, secret: EncryptedSecret, within: Transactor): Promise<boolean>;
  /** Returns secrets of all projects, sorted by id. */
  page(after: string | undefined): Promise<EncryptedSecret[]>;
  /** Replaces the ciphertext unless it has changed. */
  replaceEncrypted(secret: Pick<EncryptedSecret, 'id' | 'encrypted'>, replacement: string): Promise<void>;
  remove(projectId: string, id: string, within: Transactor): Promise<void>;
}

export function createIdentityStore(db: Db | Tx): IdentityStore {
  return {
    async ofProject(projectId) {
      return db
        .select()
        .from(identitySecrets)
        .where(eq(identitySecrets.projectId, projectId))
        .orderBy(asc(identitySecrets.createdAt), asc(identitySecrets.id));
    },

    async addUpTo(max, secret, within) {
      return tryTransaction(within, async (tx, undo) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${secret.projectId}, 1))`);
        const count = await tx.$count(identitySecrets, eq(identitySecrets.projectId, secret.projectId));
        if (count >= max) return undo(false);
        await tx.insert(identitySecrets).values(secret);
        return true;
      });
    },

    async page(after) {
      return db
        .select()
        .from(identitySecrets)
        .where(after === undefined ? undefined : gt(identitySecrets.id, after))
        .orderBy(asc(identitySecrets.id))
        .limit(PAGE_SIZE);
    },

    async replaceEncrypted({ id, encrypted }, replacement) {
      await db
        .update(identitySecrets)
        .set({ encrypted: replacement })
        .where(and(eq(identitySecrets.id, id), eq(identitySecrets.encrypted, encrypted)));
    },

    async remove(projectId, id, within) {
      await within.transaction((tx) =>
        tx
          .delete(identitySecrets)
          .where(and(eq(identitySecrets.projectId, projectId), eq(identitySecrets.id, id))),
      );
    },
  };
}
