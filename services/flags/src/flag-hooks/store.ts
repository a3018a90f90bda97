import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, gt, isNotNull, sql } from 'drizzle-orm';
import type { FlagPath } from '../flags/edit-flag.ts';
import { flagHooks } from '../schema/index.ts';

const PAGE_SIZE = 100;

export type HookRow = typeof flagHooks.$inferSelect;

export interface FlagHooksStore {
  add(row: typeof flagHooks.$inferInsert): Promise<HookRow>;
  find(id: string): Promise<HookRow | undefined>;
  /** Returns the hooks of a flag, oldest first. */
  list(at: FlagPath): Promise<HookRow[]>;
  /** Returns the number of hooks of a project. */
  count(projectId: string): Promise<number>;
  /** Returns a page of encrypted secrets, by the id of their hook, which is also their context. */
  secretsAfter(id: string | undefined): Promise<{ encrypted: string; context: string }[]>;
  /** Replaces an encrypted secret unless it has changed. */
  replaceSecret(id: string, encrypted: string, by: string): Promise<void>;
  /** Removes and returns a hook. Returns undefined if it does not exist. */
  remove(at: FlagPath, id: string): Promise<HookRow | undefined>;
}

export function createFlagHooksStore(db: Db | Tx): FlagHooksStore {
  const { id, projectId, key, encryptedSecret } = flagHooks;
  const ofFlag = (at: FlagPath) => and(eq(projectId, at.projectId), eq(key, at.key));
  return {
    async add(row) {
      const [added] = await db.insert(flagHooks).values(row).returning();
      if (added === undefined) throw new Error('nothing was inserted');
      return added;
    },

    async find(hook) {
      const [row] = await db.select().from(flagHooks).where(eq(id, hook));
      return row;
    },

    list: (at) => db.select().from(flagHooks).where(ofFlag(at)).orderBy(asc(id)),

    count: (project) => db.$count(flagHooks, eq(projectId, project)),

    secretsAfter: (after) =>
      db
        .select({ encrypted: sql<string>`${encryptedSecret}`, context: id })
        .from(flagHooks)
        .where(and(isNotNull(encryptedSecret), after === undefined ? undefined : gt(id, after)))
        .orderBy(asc(id))
        .limit(PAGE_SIZE),

    async replaceSecret(hook, encrypted, by) {
      await db
        .update(flagHooks)
        .set({ encryptedSecret: by })
        .where(and(eq(id, hook), eq(encryptedSecret, encrypted)));
    },

    async remove(at, hook) {
      const [removed] = await db
        .delete(flagHooks)
        .where(and(ofFlag(at), eq(id, hook)))
        .returning();
      return removed;
    },
  };
}
