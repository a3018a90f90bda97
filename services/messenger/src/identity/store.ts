import { and, asc, eq, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { identitySecrets } from '../schema/index.ts';

export interface SealedSecret {
  id: string;
  projectId: string;
  sealed: string;
  createdAt: Date;
}

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

    async remove(projectId: string, id: string): Promise<void> {
      await db
        .delete(identitySecrets)
        .where(and(eq(identitySecrets.projectId, projectId), eq(identitySecrets.id, id)));
    },
  };
}
