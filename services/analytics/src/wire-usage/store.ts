import type { WireUsageRecord } from '@switchboard/contracts';
import { type Db, type ExpiringData, removeSome } from '@switchboard/database';
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import { wireUsage } from '../schema/index.ts';

const HOURS = 24;
const DAY_MS = 86_400_000;
/** The rows of a project and day, from which on new SDKs count as unknown. */
const MAX_ROWS_PER_DAY = 60;
/** Seven times 24 hours are on up to eight days. */
const KEPT_DAYS = 8;
const COUNTS_PER_STATEMENT = 1_000;
const ROWS_PER_STATEMENT = 1_000;

/** The requests of an SDK on a day, by hour. */
export type UsageRow = Omit<typeof wireUsage.$inferSelect, 'projectId'>;

export interface WireUsageStore {
  /** Adds to the counts. SDKs beyond about 60 of a project and day count as unknown. */
  add(records: readonly WireUsageRecord[]): Promise<void>;
  /** Returns the usage since the day of a time. */
  list(projectId: string, since: Date): Promise<UsageRow[]>;
  removeProject(projectId: string): Promise<void>;
}

interface Added {
  projectId: string;
  wire: string;
  sdk: string;
  version: string;
  requests: number;
  events: number;
  at: string;
}

export function createWireUsageStore(db: Db): WireUsageStore {
  async function addInHour(hour: string, added: readonly Added[]): Promise<void> {
    const texts = (of: (one: Added) => string) => sql`${sql.param(added.map(of))}::text[]`;
    const numbers = (of: (one: Added) => number) =>
      sql`${sql.param(added.map((one) => String(of(one))))}::text[]::bigint[]`;
    const day = sql`${hour.slice(0, 10)}::date`;
    const at = Number(hour.slice(11, 13));
    const zeros = (count: number) => sql`array_fill(0::bigint, array[${count}::int])`;
    const alone = (count: string) => sql`${zeros(at)} || ${sql.raw(count)} || ${zeros(HOURS - 1 - at)}`;
    const place = sql`[${at + 1}::int]`;
    const ofDay = sql`same.project_id = sent.project_id and same.day = ${day}`;
    // Sorted, so that two writers cannot deadlock.
    await db.execute(sql`
      with sent as (
        select * from unnest(
          ${texts(({ projectId }) => projectId)}, ${texts(({ wire }) => wire)}, ${texts(({ sdk }) => sdk)},
          ${texts(({ version }) => version)}, ${numbers(({ requests }) => requests)},
          ${numbers(({ events }) => events)}, ${texts((one) => one.at)}::timestamptz[]
        ) as sent(project_id, wire, sdk, version, requests, events, last_at)
      ), bounded as (
        select sent.*, exists (select from ${wireUsage} as same where ${ofDay}
            and same.wire = sent.wire and same.sdk = sent.sdk and same.version = sent.version)
          or (select count(*) from ${wireUsage} as same where ${ofDay}) < ${MAX_ROWS_PER_DAY} as is_named
        from sent
      ), counted as (
        select project_id, wire, case when is_named then sdk else '' end as sdk,
          case when is_named then version else '' end as version,
          sum(requests)::bigint as requests, sum(events)::bigint as events, max(last_at) as last_at
        from bounded group by 1, 2, 3, 4
      )
      insert into ${wireUsage} as known (project_id, day, wire, sdk, version, requests, events, last_at)
      select project_id, ${day}, wire, sdk, version, ${alone('requests')}, ${alone('events')}, last_at
      from counted order by project_id, wire, sdk, version
      on conflict (project_id, day, wire, sdk, version) do update set
        requests${place} = known.requests${place} + excluded.requests${place},
        events${place} = known.events${place} + excluded.events${place},
        last_at = greatest(known.last_at, excluded.last_at)`);
  }

  return {
    async add(records) {
      const added = records.flatMap(({ projectId, at, counts }) =>
        counts.map((one): Added => ({ projectId, at, ...one })),
      );
      for (const [hour, found] of Map.groupBy(added, ({ at }) => at.slice(0, 13)))
        for (let from = 0; from < found.length; from += COUNTS_PER_STATEMENT)
          await addInHour(hour, found.slice(from, from + COUNTS_PER_STATEMENT));
    },

    async list(projectId, since) {
      const { day, wire, sdk, version, requests, events, lastAt } = wireUsage;
      return db
        .select({ day, wire, sdk, version, requests, events, lastAt })
        .from(wireUsage)
        .where(and(eq(wireUsage.projectId, projectId), gte(day, dayOf(since))));
    },

    async removeProject(projectId) {
      await db.delete(wireUsage).where(eq(wireUsage.projectId, projectId));
    },
  };
}

/** Returns the counts that are older than those of the last seven days. */
export function oldWireUsage(db: Db): ExpiringData {
  return {
    kind: 'usage of wires',
    days: KEPT_DAYS,
    async removeBefore(time) {
      const where = lt(wireUsage.day, dayOf(time));
      return { rows: await removeSome(db, wireUsage, { where, limit: ROWS_PER_STATEMENT }) };
    },
    async oldest() {
      const { day } = wireUsage;
      const [row] = await db.select({ day }).from(wireUsage).orderBy(asc(day)).limit(1);
      return row && new Date(`${row.day}T00:00:00.000Z`);
    },
  };
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10);

/** Returns the start of the hour of a count, in milliseconds. */
export const hourOf = (day: string, index: number): number =>
  Date.parse(`${day}T00:00:00.000Z`) + (index * DAY_MS) / HOURS;
