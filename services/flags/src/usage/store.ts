import type { Db, ExpiringData } from '@switchboard/database';
import { and, asc, eq, gte, sql } from 'drizzle-orm';
import { flagSeen, flags, flagUsageDays, flagUsageHours, flagVersions } from '../schema/index.ts';
import type { Served } from './tallies.ts';

export interface UsageStore {
  /** Adds evaluations to the hour of `at`. Takes one entry for a flag and variation. Drops those of deleted flags. */
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

export type SeenRow = Omit<typeof flagSeen.$inferSelect, 'projectId'>;

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

const HOUR_MS = 3_600_000;
const HOURS = 24;
const DAY_MS = HOURS * HOUR_MS;
/** The maximum number of rows that retention deletes at once. */
const BATCH = 1_000;

export function createUsageStore(db: Db): UsageStore {
  const texts = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;

  return {
    async add(at, served) {
      const hour = at.getUTCHours();
      const counts = sql`${sql.param(served.map(({ count }) => String(count)))}::text[]::bigint[]`;
      // Locks the flags first, like their deletion, and all rows in the order of their keys, like other instances.
      await db.execute(sql`
        with counted as (
          select * from unnest(
            ${texts(served.map(({ projectId }) => projectId))}, ${texts(served.map(({ key }) => key))},
            ${texts(served.map(({ variation }) => variation))}, ${counts}
          ) as counted(project_id, key, variation, count)
        ), present as (
          select project_id, key from ${flags}
          where (project_id, key) in (select project_id, key from counted)
          order by project_id, key for key share
        ), known as (
          select * from present join counted using (project_id, key) order by project_id, key, variation
        ), hours as (
          insert into ${flagUsageHours} (project_id, key, variation, day, counts)
          select project_id, key, variation, ${dayOf(at)}::date,
            array_fill(0::bigint, array[${hour}::int]) || count || array_fill(0::bigint, array[${HOURS - 1 - hour}::int])
          from known
          on conflict (project_id, key, day, variation) do update
          set counts[${hour + 1}::int] =
            flag_usage_hours.counts[${hour + 1}::int] + excluded.counts[${hour + 1}::int]
        ), days as (
          insert into ${flagUsageDays} (project_id, key, variation, day, count)
          select project_id, key, variation, ${dayOf(at)}::date, count from known
          on conflict (project_id, key, day, variation) do update
          set count = flag_usage_days.count + excluded.count
        )
        insert into ${flagSeen} (project_id, key, variation, first_at, last_at)
        select project_id, key, variation, ${at.toISOString()}::timestamptz, ${at.toISOString()}::timestamptz from known
        on conflict (project_id, key, variation) do update
        set last_at = greatest(flag_seen.last_at, excluded.last_at)`);
    },

    async totals(projectId, since, until) {
      const { key, variation, count } = flagUsageDays;
      return db
        .select({ key, variation, count: sql`sum(${count})`.mapWith(Number) })
        .from(flagUsageDays)
        .where(
          and(
            eq(flagUsageDays.projectId, projectId),
            sql`${flagUsageDays.day} = any(${texts(daysBetween(since, until))}::date[])`,
          ),
        )
        .groupBy(key, variation);
    },

    seen: (projectId) => {
      const { key, variation, firstAt, lastAt } = flagSeen;
      return db
        .select({ key, variation, firstAt, lastAt })
        .from(flagSeen)
        .where(eq(flagSeen.projectId, projectId));
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
      const { day, variation, counts } = flagUsageHours;
      const rows = await db
        .select({ day, variation, counts })
        .from(flagUsageHours)
        .where(
          and(
            eq(flagUsageHours.projectId, projectId),
            eq(flagUsageHours.key, key),
            gte(flagUsageHours.day, dayOf(since)),
          ),
        )
        .orderBy(asc(day));
      return rows.flatMap((row) =>
        row.counts.flatMap((count, hour) => {
          const at = new Date(startOf(row.day).getTime() + hour * HOUR_MS);
          return count === 0 ? [] : [{ at, variation: row.variation, count }];
        }),
      );
    },

    async days(projectId, key, since) {
      const { day, variation, count } = flagUsageDays;
      const rows = await db
        .select({ day, variation, count })
        .from(flagUsageDays)
        .where(
          and(
            eq(flagUsageDays.projectId, projectId),
            eq(flagUsageDays.key, key),
            gte(flagUsageDays.day, dayOf(since)),
          ),
        )
        .orderBy(asc(day));
      return rows.map((row) => ({ at: startOf(row.day), variation: row.variation, count: row.count }));
    },
  };
}

/** The usage that is removed after a time: counts by hour after 90 days, by day after two years. */
export function expiringUsage({ drizzle: db }: { drizzle: Db }): ExpiringData[] {
  const expiring = (kind: string, days: number, table: typeof flagUsageHours | typeof flagUsageDays) => ({
    kind,
    days,
    async removeBefore(time: Date) {
      const rows = await db.execute(sql`
        delete from ${table} where ctid = any(array(
          select ctid from ${table} where day < ${dayOf(time)}::date limit ${BATCH}
        )) returning 1`);
      return { rows: rows.length };
    },
    async oldest() {
      const [row] = await db.select({ day: table.day }).from(table).orderBy(asc(table.day)).limit(1);
      return row && startOf(row.day);
    },
  });
  return [
    expiring('flag usage by hour', 90, flagUsageHours),
    expiring('flag usage by day', 730, flagUsageDays),
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
