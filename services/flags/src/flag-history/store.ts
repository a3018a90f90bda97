import type { FlagEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, desc, eq, lte, sql } from 'drizzle-orm';
import { flagVersions } from '../schema/index.ts';

export type VersionRow = Omit<typeof flagVersions.$inferSelect, 'projectId' | 'key'>;

/** A state of a flag, and who made it why. */
export interface NewVersion {
  projectId: string;
  key: string;
  version: number;
  entry: FlagEntry | null;
  author: string | null;
  reason: string | null;
}

export interface FlagHistoryStore {
  /** The newest versions up to `from`, newest first. */
  list(projectId: string, key: string, limit: number, from?: number): Promise<VersionRow[]>;
  /** Adds a version, and removes the one that is `kept` versions older. */
  add(version: NewVersion, kept: number): Promise<void>;
}

export function createFlagHistoryStore(db: Db | Tx): FlagHistoryStore {
  const isOf = (projectId: string, key: string) =>
    and(eq(flagVersions.projectId, projectId), eq(flagVersions.key, key));
  const { version, entry, author, reason, at } = flagVersions;
  return {
    list: (projectId, key, limit, from) =>
      db
        .select({ version, entry, author, reason, at })
        .from(flagVersions)
        .where(and(isOf(projectId, key), from === undefined ? undefined : lte(version, from)))
        .orderBy(desc(version))
        .limit(limit),

    async add(row, kept) {
      // The time of the change, not of the transaction, which may have waited for another; a clock may be set back.
      const previous = db
        .select({ at })
        .from(flagVersions)
        .where(and(isOf(row.projectId, row.key), eq(version, row.version - 1)));
      await db.insert(flagVersions).values({ ...row, at: sql`greatest(clock_timestamp(), (${previous}))` });
      await db
        .delete(flagVersions)
        .where(and(isOf(row.projectId, row.key), lte(version, row.version - kept)));
    },
  };
}
