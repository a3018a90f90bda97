import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq } from 'drizzle-orm';
import type { FlagPath } from '../flags/edit-flag.ts';
import { flagHooks } from '../schema/index.ts';

export type HookRow = typeof flagHooks.$inferSelect;

export interface FlagHooksStore {
  add(row: typeof flagHooks.$inferInsert): Promise<HookRow>;
  find(id: string): Promise<HookRow | undefined>;
  /** Returns the hooks of a flag, oldest first. */
  list(at: FlagPath): Promise<HookRow[]>;
  /** Returns the number of hooks of a project. */
  count(projectId: string): Promise<number>;
  /** Removes and returns a hook. Returns undefined if it does not exist. */
  remove(at: FlagPath, id: string): Promise<HookRow | undefined>;
}

export function createFlagHooksStore(db: Db | Tx): FlagHooksStore {
  const { id, projectId, key } = flagHooks;
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

    async remove(at, hook) {
      const [removed] = await db
        .delete(flagHooks)
        .where(and(ofFlag(at), eq(id, hook)))
        .returning();
      return removed;
    },
  };
}
