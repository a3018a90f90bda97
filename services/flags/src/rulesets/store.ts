import type { Clause, Combination, FlagEntry } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { eq, sql } from 'drizzle-orm';
import { cohorts, flags, rulesets } from '../schema/index.ts';

/** The NOTIFY channel of ruleset changes. The payload is the project's id. */
export const CHANGED_CHANNEL = 'ruleset_changed';

/** A project's flags and cohorts as they are stored. */
export interface RulesetText {
  /** The time of the last change (RFC 3339, UTC, milliseconds). */
  readonly changedAt: string;
  /** JSON of a `RulesetDocument`. */
  readonly json: string;
}

export interface RulesetDocument {
  /** Sorted by key. */
  flags: FlagEntry[];
  cohorts: { id: string; match: Clause[] | null; did: Combination | null }[];
}

export interface RulesetsStore {
  /** Reads the flags and cohorts of each project, in the given order, from one snapshot of the database. */
  load(projectIds: readonly string[]): Promise<RulesetText[]>;
  /** Returns the time of the last change of each project, in the given order. */
  changesOf(projectIds: readonly string[]): Promise<string[]>;
  /** Locks the project's ruleset until the transaction ends. */
  lock(projectId: string): Promise<void>;
  /** Writes the document, moves the time of the last change forward and notifies `CHANGED_CHANNEL` on commit. */
  markChanged(projectId: string): Promise<void>;
}

/** A project without a row has never had flags or cohorts. */
const NEVER = '1970-01-01T00:00:00.000Z';
const NOTHING: RulesetText = { changedAt: NEVER, json: '{"flags":[],"cohorts":[]}' };
const CHANGED_AT = sql<string>`to_char(${rulesets.changedAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** SQL for the JSON of the flags and cohorts of a row's project. */
const DOCUMENT = sql`(select json_build_object(
  'flags', (select coalesce(json_agg(entry order by key collate "C"), '[]')
    from ${flags} where ${flags.projectId} = ${rulesets.projectId}),
  'cohorts', (select coalesce(json_agg(json_build_object('id', id, 'match', match,
      'did', case when did is not null then coalesce(combine, 'all') end) order by id collate "C"), '[]')
    from ${cohorts} where ${cohorts.projectId} = ${rulesets.projectId})
)::text)`;

/** One parameter, so that the statement is the same for any number of projects. */
const isAmong = (projectIds: readonly string[]) =>
  sql`${rulesets.projectId} = any(${sql.param(projectIds)}::text[])`;

export function createRulesetsStore(db: Db | Tx): RulesetsStore {
  return {
    async load(projectIds) {
      // One statement reads from one snapshot and takes one round trip.
      const rows = await db
        .select({
          projectId: rulesets.projectId,
          changedAt: CHANGED_AT,
          json: sql<string>`case when ${rulesets.documentedAt} = ${rulesets.changedAt}
            then ${rulesets.document} else ${DOCUMENT} end`,
        })
        .from(rulesets)
        .where(isAmong(projectIds));
      const found = new Map(rows.map(({ projectId, changedAt, json }) => [projectId, { changedAt, json }]));
      return projectIds.map((projectId) => found.get(projectId) ?? NOTHING);
    },

    async changesOf(projectIds) {
      const rows = await db
        .select({ projectId: rulesets.projectId, changedAt: CHANGED_AT })
        .from(rulesets)
        .where(isAmong(projectIds));
      const found = new Map(rows.map(({ projectId, changedAt }) => [projectId, changedAt]));
      return projectIds.map((projectId) => found.get(projectId) ?? NEVER);
    },

    async lock(projectId) {
      await db.insert(rulesets).values({ projectId }).onConflictDoNothing();
      await db.select().from(rulesets).where(eq(rulesets.projectId, projectId)).for('update');
    },

    async markChanged(projectId) {
      await db.execute(sql`
        update ${rulesets} set (changed_at, documented_at, document) = (
          select at, at, ${DOCUMENT} from (select greatest(
            date_trunc('milliseconds', clock_timestamp()), ${rulesets.changedAt} + interval '1 ms') as at) as change)
        where ${rulesets.projectId} = ${projectId}`);
      await db.execute(sql`select pg_notify(${CHANGED_CHANNEL}, ${projectId})`);
    },
  };
}
