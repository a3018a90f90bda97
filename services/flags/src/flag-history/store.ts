import type { FlagEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, desc, eq, lte, sql } from 'drizzle-orm';
import { flagVersions } from '../schema/index.ts';

export type VersionRow = Omit<typeof flagVersions.$inferSelect, 'projectId' | 'key'>;

/** A state of a flag, with the author and reason of the change. */
export interface NewVersion {
  projectId: string;
  key: string;
  version: number;
  entry: FlagEntry | null;
  author: string | null;
  reason: string | null;
  /** Null: no one. */
  approvedBy: (string | null)[] | null;
  isEmergency: boolean;
}

export interface FlagHistoryStore {
  /** Returns the newest versions up to `from`, newest first. */
  list(projectId: string, key: string, limit: number, from?: number): Promise<VersionRow[]>;
  /** Adds a version and removes the one that is `kept` versions older. */
  add(version: NewVersion, kept: number): Promise<void>;
}

export function createFlagHistoryStore(db: Db | Tx): FlagHistoryStore {
  const isOf = (projectId: string, key: string) =>
    and(eq(flagVersions.projectId, projectId), eq(flagVersions.key, key));
  const { version, entry, author, reason, at, approvedBy, isEmergency } = flagVersions;
  return {
    list: (projectId, key, limit, from) =>
      db
        .select({ version, entry, author, reason, at, approvedBy, isEmergency })
        .from(flagVersions)
        .where(and(isOf(projectId, key), from === undefined ? undefined : lte(version, from)))
        .orderBy(desc(version))
        .limit(limit),

    async add(row, kept) {
      // Stores the time of the change: the transaction may have started earlier and waited for another one. The time
      // is never before that of the previous version, because a clock may be set back.
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
