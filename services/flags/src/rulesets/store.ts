import type { Clause, FlagEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { asc, eq, sql } from 'drizzle-orm';
import { cohorts, flags, rulesets } from '../schema/index.ts';

/** NOTIFY channel of ruleset changes. The payload is the project's id. */
export const CHANGED_CHANNEL = 'ruleset_changed';

export interface StoredRuleset {
  /** RFC 3339, UTC, milliseconds. */
  changedAt: string;
  /** Sorted by key. */
  flags: FlagEntry[];
  cohorts: { id: string; match: Clause[] | null }[];
}

export interface RulesetsStore {
  /** Reads a project's flags and cohorts from one database snapshot. */
  load(projectId: string): Promise<StoredRuleset>;
  /** Locks the project's ruleset until the transaction ends. */
  lock(projectId: string): Promise<void>;
  /** Moves the time of the last change forward and notifies `CHANGED_CHANNEL` on commit. */
  markChanged(projectId: string): Promise<void>;
}

export function createRulesetsStore(db: Db | Tx): RulesetsStore {
  return {
    load(projectId) {
      const snapshot = { isolationLevel: 'repeatable read', accessMode: 'read only' } as const;
      return db.transaction(async (tx) => {
        const [row] = await tx.select().from(rulesets).where(eq(rulesets.projectId, projectId));
        const entries = await tx
          .select({ entry: flags.entry })
          .from(flags)
          .where(eq(flags.projectId, projectId))
          .orderBy(asc(sql`${flags.key} collate "C"`));
        return {
          changedAt: (row?.changedAt ?? new Date(0)).toISOString(),
          flags: entries.map(({ entry }) => entry),
          cohorts: await tx
            .select({ id: cohorts.id, match: cohorts.match })
            .from(cohorts)
            .where(eq(cohorts.projectId, projectId))
            .orderBy(asc(sql`${cohorts.id} collate "C"`)),
        };
      }, snapshot);
    },

    async lock(projectId) {
      await db.insert(rulesets).values({ projectId }).onConflictDoNothing();
      await db.select().from(rulesets).where(eq(rulesets.projectId, projectId)).for('update');
    },

    async markChanged(projectId) {
      await db
        .update(rulesets)
        .set({
          changedAt: sql`greatest(date_trunc('milliseconds', clock_timestamp()), ${rulesets.changedAt} + interval '1 ms')`,
        })
        .where(eq(rulesets.projectId, projectId));
      await db.execute(sql`select pg_notify(${CHANGED_CHANNEL}, ${projectId})`);
    },
  };
}
