import type { FlagEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, sql } from 'drizzle-orm';
import { flags, flagVersions } from '../schema/index.ts';

export interface FlagsStore {
  /** Returns the flags, sorted by key. */
  list(projectId: string): Promise<FlagEntry[]>;
  /** Returns a flag with its version. The version is 0 if the flag has no history. */
  find(projectId: string, key: string): Promise<{ entry: FlagEntry; version: number } | undefined>;
  save(projectId: string, entry: FlagEntry): Promise<void>;
  remove(projectId: string, key: string): Promise<void>;
}

export function createFlagsStore(db: Db | Tx): FlagsStore {
  const isFlag = (projectId: string, key: string) => and(eq(flags.projectId, projectId), eq(flags.key, key));
  return {
    async list(projectId) {
      const rows = await db
        .select({ entry: flags.entry })
        .from(flags)
        .where(eq(flags.projectId, projectId))
        .orderBy(asc(sql`${flags.key} collate "C"`));
      return rows.map(({ entry }) => entry);
    },

    async find(projectId, key) {
      const version = sql<number>`coalesce((select max(version) from ${flagVersions}
        where project_id = ${projectId} and key = ${key}), 0)`;
      const [row] = await db
        .select({ entry: flags.entry, version })
        .from(flags)
        .where(isFlag(projectId, key));
      return row;
    },

    async save(projectId, entry) {
      await db
        .insert(flags)
        .values({ projectId, key: entry.key, entry })
        .onConflictDoUpdate({ target: [flags.projectId, flags.key], set: { entry } });
    },

    async remove(projectId, key) {
      await db.delete(flags).where(isFlag(projectId, key));
    },
  };
}
