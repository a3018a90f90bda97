import type { Clause, Combination, FlagEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { eq, sql } from 'drizzle-orm';
import { cohorts, flags, rulesets } from '../schema/index.ts';

/** The NOTIFY channel of ruleset changes. The payload is the project's id. */
export const CHANGED_CHANNEL = 'ruleset_changed';

export interface StoredRuleset {
  /** The time of the last change (RFC 3339, UTC, milliseconds). */
  changedAt: string;
  /** Sorted by key. */
  flags: FlagEntry[];
  cohorts: { id: string; match: Clause[] | null; did: Combination | null }[];
}

export interface RulesetsStore {
  /** Reads a project's flags and cohorts from one snapshot of the database. */
  load(projectId: string): Promise<StoredRuleset>;
  /** Returns the time of the last change of each project, in the given order. */
  changesOf(projectIds: readonly string[]): Promise<string[]>;
  /** Locks the project's ruleset until the transaction ends. */
  lock(projectId: string): Promise<void>;
  /** Moves the time of the last change forward and notifies `CHANGED_CHANNEL` on commit. */
  markChanged(projectId: string): Promise<void>;
}

/** A project without a row has never had flags or cohorts. */
const NEVER = '1970-01-01T00:00:00.000Z';
const CHANGED_AT = sql<string>`to_char(${rulesets.changedAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

export function createRulesetsStore(db: Db | Tx): RulesetsStore {
  return {
    async load(projectId) {
      // One statement reads from one snapshot and takes one round trip.
      const [row] = await db.execute<Pick<StoredRuleset, keyof StoredRuleset>>(sql`
        select
          coalesce((select ${CHANGED_AT} from ${rulesets} where project_id = ${projectId}), ${NEVER}) as "changedAt",
          (select coalesce(json_agg(entry order by key collate "C"), '[]')
            from ${flags} where project_id = ${projectId}) as flags,
          (select coalesce(json_agg(json_build_object('id', id, 'match', match,
              'did', case when did is not null then coalesce(combine, 'all') end) order by id collate "C"), '[]')
            from ${cohorts} where project_id = ${projectId}) as cohorts`);
      return row ?? { changedAt: NEVER, flags: [], cohorts: [] };
    },

    async changesOf(projectIds) {
      const rows = await db
        .select({ projectId: rulesets.projectId, changedAt: CHANGED_AT })
        .from(rulesets)
        .where(sql`${rulesets.projectId} = any(${sql.param(projectIds)}::text[])`);
      const found = new Map(rows.map(({ projectId, changedAt }) => [projectId, changedAt]));
      return projectIds.map((projectId) => found.get(projectId) ?? NEVER);
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
