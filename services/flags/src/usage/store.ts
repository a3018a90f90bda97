import { type Db, type ExpiringData, removeSome } from '@switchboard/database';
import { and, asc, eq, gte, type SQL, sql } from 'drizzle-orm';
import type { AnyPgColumn, PgTable } from 'drizzle-orm/pg-core';
import { flags, flagVersions, rulesets, usageDays, usageHours, usageSeen } from '../schema/index.ts';
import type { Served } from './tallies.ts';

export interface UsageStore {
  /** Adds evaluations to the hour of `at`. Drops those of deleted flags. */
  add(at: Date, served: readonly Served[]): Promise<void>;
  /** Returns the evaluations of each flag and variation on the days from one time to another. */
  totals(
    projectId: string,
    since: Date,
    until: Date,
  ): Promise<{ key: string; variation: string; count: number }[]>;
  /** Returns when each flag served each variation first and last. */
  seen(projectId: string): Promise<SeenRow[]>;
  /** Returns when each flag was created and last changed, sorted by key. */
  ages(projectId: string): Promise<FlagAge[]>;
  hours(projectId: string, key: string, since: Date): Promise<UsageRow[]>;
  days(projectId: string, key: string, since: Date): Promise<UsageRow[]>;
}

/** When a flag served a variation first and last. */
export interface SeenRow {
  key: string;
  variation: string;
  firstAt: Date;
  lastAt: Date;
}

export interface FlagAge {
  key: string;
  intent: string | null;
  /** Null if the flag has no history. */
  createdAt: Date | null;
  changedAt: Date | null;
}

export interface UsageRow {
  /** The start of the hour or day. */
  at: Date;
  variation: string;
  count: number;
}

const DAY_MS = 86_400_000;
/** The maximum number of rows that retention deletes at once. */
const BATCH = 1_000;

export function createUsageStore(db: Db): UsageStore {
  const texts = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;

  return {
    async add(at, served) {
      const counts = sql`${sql.param(served.map(({ count }) => String(count)))}::text[]::bigint[]`;
      const time = sql`${at.toISOString()}::timestamptz`;
      const ms = sql`${at.getTime()}::bigint`;
      const projectIds = texts([...new Set(served.map(({ projectId }) => projectId))]);
      // Locks all rows in the order of projects, like other instances.
      const locked = sql`select from ${rulesets} where project_id = any(${projectIds})
        order by project_id for key share`;
      const added = sql`
        with counted as (
          select project_id, key, variation, sum(count) as count from unnest(
            ${texts(served.map(({ projectId }) => projectId))}, ${texts(served.map(({ key }) => key))},
            ${texts(served.map(({ variation }) => variation))}, ${counts}
          ) as counted(project_id, key, variation, count)
          join ${flags} using (project_id, key)
          group by project_id, key, variation
        ), by_flag as (
          select project_id, key, jsonb_object_agg(variation, count) as counts,
            jsonb_object_agg(variation, jsonb_build_array(${ms}, ${ms})) as seen
          from counted group by project_id, key
        ), by_project as (
          select project_id, jsonb_object_agg(key, counts) as counts, jsonb_object_agg(key, seen) as seen
          from by_flag group by project_id order by project_id
        ), hours as (
          insert into ${usageHours} (project_id, hour, counts)
          select project_id, date_trunc('hour', ${time}, 'UTC'), counts from by_project
          on conflict (project_id, hour) do update set counts = ${sumOf('usage_hours')}
        ), days as (
          insert into ${usageDays} (project_id, day, counts)
          select project_id, ${dayOf(at)}::date, counts from by_project
          on conflict (project_id, day) do update set counts = ${sumOf('usage_days')}
        )
        insert into ${usageSeen} (project_id, seen) select project_id, seen from by_project
        on conflict (project_id) do update set seen = ${SEEN}`;
      await db.transaction(async (tx) => {
        // Waits for deletions of flags, so that the next statement does not see these flags.
        await tx.execute(locked);
        await tx.execute(added);
      });
    },

    async totals(projectId, since, until) {
      return db.execute<{ key: string; variation: string; count: number }>(sql`
        select flag.key, served.key as variation, sum(served.value::bigint)::float8 as count
        from ${usageDays}, jsonb_each(counts) flag, jsonb_each_text(flag.value) served
        where project_id = ${projectId} and day = any(${texts(daysBetween(since, until))}::date[])
        group by flag.key, served.key`);
    },

    async seen(projectId) {
      const rows = await db.execute<{ key: string; variation: string; first: number; last: number }>(sql`
        select flag.key, served.key as variation,
          (served.value -> 0)::float8 as first, (served.value -> 1)::float8 as last
        from ${usageSeen}, jsonb_each(seen) flag, jsonb_each(flag.value) served
        where project_id = ${projectId}`);
      return rows.map(({ key, variation, first, last }) => ({
        key,
        variation,
        firstAt: new Date(first),
        lastAt: new Date(last),
      }));
    },

    async ages(projectId) {
      // Reads the newest version of each flag, and those since it was last deleted.
      const ofFlag = sql`from ${flagVersions} v where v.project_id = ${flags.projectId} and v.key = ${flags.key}`;
      const rows = await db
        .select({
          key: flags.key,
          intent: sql<string | null>`${flags.entry} ->> 'intent'`,
          createdAt: sql`(select min(v.at) ${ofFlag} and v.version >
            coalesce((select max(v.version) ${ofFlag} and v.entry is null), 0))`.mapWith(flagVersions.at),
          changedAt: sql`(select v.at ${ofFlag} order by v.version desc limit 1)`.mapWith(flagVersions.at),
        })
        .from(flags)
        .where(eq(flags.projectId, projectId))
        .orderBy(asc(sql`${flags.key} collate "C"`));
      return rows;
    },

    async hours(projectId, key, since) {
      const { hour, counts } = usageHours;
      const rows = await db
        .select({ at: hour, counts: countsOf(counts, key) })
        .from(usageHours)
        .where(and(eq(usageHours.projectId, projectId), gte(hour, startOf(dayOf(since)))))
        .orderBy(asc(hour));
      return rows.flatMap(usageRows);
    },

    async days(projectId, key, since) {
      const { day, counts } = usageDays;
      const rows = await db
        .select({ day, counts: countsOf(counts, key) })
        .from(usageDays)
        .where(and(eq(usageDays.projectId, projectId), gte(day, dayOf(since))))
        .orderBy(asc(day));
      return rows.flatMap((row) => usageRows({ at: startOf(row.day), counts: row.counts }));
    },
  };
}

const countsOf = (counts: AnyPgColumn, key: string) =>
  sql<Record<string, number> | null>`${counts} -> ${key}`;

function usageRows({ at, counts }: { at: Date; counts: Record<string, number> | null }): UsageRow[] {
  return Object.entries(counts ?? {})
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([variation, count]) => ({ at, variation, count }));
}

/** SQL that adds the counts of a new row to those of a stored one. */
const sumOf = (table: 'usage_hours' | 'usage_days') =>
  merged(table, 'counts', 'sum(served.value::text::bigint)');

/** SQL that extends the times of a stored row by those of a new one. */
const SEEN = merged(
  'usage_seen',
  'seen',
  'jsonb_build_array(min((served.value -> 0)::bigint), max((served.value -> 1)::bigint))',
);

function merged(table: string, column: string, aggregate: string): SQL {
  return sql.raw(`(
    select jsonb_object_agg(key, variations) from (
      select key, jsonb_object_agg(variation, value) as variations from (
        select flag.key, served.key as variation, ${aggregate} as value
        from (select * from jsonb_each(${table}.${column}) union all select * from jsonb_each(excluded.${column})) flag,
          jsonb_each(flag.value) served
        group by flag.key, served.key
      ) each_variation group by key
    ) each_flag)`);
}

/** The usage that is removed after a time: counts by hour after 90 days, by day after two years. */
export function expiringUsage({ drizzle: db }: { drizzle: Db }): ExpiringData[] {
  const expiring = (
    kind: string,
    days: number,
    table: PgTable,
    column: typeof usageHours.hour | typeof usageDays.day,
  ) => ({
    kind,
    days,
    async removeBefore(time: Date) {
      const start = sql`${startOf(dayOf(time)).toISOString()}::${sql.raw(column.getSQLType())}`;
      return { rows: await removeSome(db, table, { where: sql`${column} < ${start}`, limit: BATCH }) };
    },
    async oldest() {
      const [row] = await db.select({ at: column }).from(table).orderBy(asc(column)).limit(1);
      return row && new Date(row.at);
    },
  });
  return [
    expiring('flag usage by hour', 90, usageHours, usageHours.hour),
    expiring('flag usage by day', 730, usageDays, usageDays.day),
  ];
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);
const startOf = (day: string) => new Date(`${day}T00:00:00.000Z`);

/** Returns the days from one time to another. The index of days is then read for each of them. */
function daysBetween(since: Date, until: Date): string[] {
  const days: string[] = [];
  for (let at = since.getTime(); at <= until.getTime(); at += DAY_MS) days.push(dayOf(new Date(at)));
  return days;
}
