import type { Clause, FlagEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { eq, sql } from 'drizzle-orm';
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
  /**
   * Reads a project's flags and cohorts, all of one moment. Undefined if nothing has changed since the ruleset of
   * `knownAt`.
   */
  load(projectId: string, knownAt?: string): Promise<StoredRuleset | undefined>;
  /** Locks the project's ruleset until the transaction ends. */
  lock(projectId: string): Promise<void>;
  /** Moves the time of the last change forward and notifies `CHANGED_CHANNEL` on commit. */
  markChanged(projectId: string): Promise<void>;
}

type LoadedRow = Pick<StoredRuleset, keyof StoredRuleset> & { isKnown: boolean };

export function createRulesetsStore(db: Db | Tx): RulesetsStore {
  return {
    async load(projectId, knownAt = '') {
      // One statement reads from one snapshot and takes one round trip.
      const [row] = await db.execute<LoadedRow>(sql`
        select at as "changedAt", at = ${knownAt} as "isKnown",
          case when at = ${knownAt} then '[]' else (
            select coalesce(json_agg(entry order by key collate "C"), '[]')
            from ${flags} where project_id = ${projectId}) end as flags,
          case when at = ${knownAt} then '[]' else (
            select coalesce(json_agg(json_build_object('id', id, 'match', match) order by id collate "C"), '[]')
            from ${cohorts} where project_id = ${projectId}) end as cohorts
        from (select to_char(
          coalesce((select changed_at from ${rulesets} where project_id = ${projectId}), 'epoch') at time zone 'UTC',
          'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at) as ruleset`);
      if (row === undefined || row.isKnown) return undefined;
      const { changedAt, flags: entries, cohorts: named } = row;
      return { changedAt, flags: entries, cohorts: named };
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
