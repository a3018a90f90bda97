import { and, asc, eq, gt, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { identitySecrets } from '../schema/index.ts';

export interface SealedSecret {
  id: string;
  projectId: string;
  sealed: string;
  createdAt: Date;
}

const PAGE = 500;

export type IdentityStore = ReturnType<typeof createIdentityStore>;

export function createIdentityStore(db: Db) {
  return {
    /** Oldest first. */
    async ofProject(projectId: string): Promise<Omit<SealedSecret, 'projectId'>[]> {
      return db
        .select({
          id: identitySecrets.id,
          sealed: identitySecrets.sealed,
          createdAt: identitySecrets.createdAt,
        })
        .from(identitySecrets)
        .where(eq(identitySecrets.projectId, projectId))
        .orderBy(asc(identitySecrets.createdAt), asc(identitySecrets.id));
    },

    /** Adds one unless the project has `most` already; false when it has. */
    async addUpTo(most: number, secret: SealedSecret): Promise<boolean> {
      return db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${secret.projectId}, 1))`);
        const live = await tx.$count(identitySecrets, eq(identitySecrets.projectId, secret.projectId));
        if (live >= most) return false;
        await tx.insert(identitySecrets).values(secret);
        return true;
      });
    },

    /** Of all projects, by id. */
    async page(after: string | undefined): Promise<SealedSecret[]> {
      return db
        .select()
        .from(identitySecrets)
        .where(after === undefined ? undefined : gt(identitySecrets.id, after))
        .orderBy(asc(identitySecrets.id))
        .limit(PAGE);
    },

    async replaceSealed({ id, sealed }: Pick<SealedSecret, 'id' | 'sealed'>, by: string): Promise<void> {
      await db
        .update(identitySecrets)
        .set({ sealed: by })
        .where(and(eq(identitySecrets.id, id), eq(identitySecrets.sealed, sealed)));
    },

    async remove(projectId: string, id: string): Promise<void> {
      await db
        .delete(identitySecrets)
        .where(and(eq(identitySecrets.projectId, projectId), eq(identitySecrets.id, id)));
    },
  };
}
