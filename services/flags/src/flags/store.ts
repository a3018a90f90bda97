import type { FlagEntry, LastFlagChange } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, asc, desc, eq, sql } from 'drizzle-orm';
import { flags, flagVersions, usageDays, usageHours, usageSeen } from '../schema/index.ts';

export interface FlagsStore {
  /** Returns the flags, sorted by key. */
  list(projectId: string): Promise<FlagEntry[]>;
  /** Returns the flags, sorted by key, with the latest change of each that has a history. */
  listWithChanges(projectId: string): Promise<{ flags: FlagEntry[]; lastChanges: LastFlagChange[] }>;
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

    async listWithChanges(projectId) {
      const { version, author, at } = flagVersions;
      const latest = db
        .select({ version, author, at })
        .from(flagVersions)
        .where(and(eq(flagVersions.projectId, flags.projectId), eq(flagVersions.key, flags.key)))
        .orderBy(desc(version))
        .limit(1)
        .as('latest');
      const rows = await db
        .select({ entry: flags.entry, version: latest.version, author: latest.author, at: latest.at })
        .from(flags)
        .leftJoinLateral(latest, sql`true`)
        .where(eq(flags.projectId, projectId))
        .orderBy(asc(sql`${flags.key} collate "C"`));
      return {
        flags: rows.map(({ entry }) => entry),
        lastChanges: rows.flatMap(({ entry: { key }, version, author, at }) =>
          version === null || at === null ? [] : [{ key, version, author, at: at.toISOString() }],
        ),
      };
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
      // A new flag of this key starts without usage. In the order in which counts are added.
      await db
        .update(usageSeen)
        .set({ seen: sql`seen - ${key}::text` })
        .where(eq(usageSeen.projectId, projectId));
      for (const table of [usageHours, usageDays])
        await db
          .update(table)
          .set({ counts: sql`counts - ${key}::text` })
          .where(and(eq(table.projectId, projectId), sql`counts ? ${key}`));
    },
  };
}
