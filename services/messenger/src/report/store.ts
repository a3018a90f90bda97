import type { Db, Tx } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { conversationResolutions, conversations } from '../schema/index.ts';

export interface ReportRange {
  projectId: string;
  /** The first and the last day, YYYY-MM-DD. */
  from: string;
  to: string;
  timezone: string;
}

/** A number of conversations and an amount of them, by day. Without a day: of all days. */
export interface DayValues {
  day: string | null;
  count: number;
  amount: number | null;
}

export interface ReportStore {
  /** Returns the conversations that were opened, without imported ones. */
  opened(range: ReportRange): Promise<DayValues[]>;
  /** Returns the first replies, and the median of their minutes, without imported conversations. */
  firstReplies(range: ReportRange): Promise<DayValues[]>;
  /** Returns the resolutions, and the median of their minutes. */
  resolved(range: ReportRange): Promise<DayValues[]>;
  /** Returns the ratings, and their average. */
  ratings(range: ReportRange): Promise<DayValues[]>;
}

const minutes = (from: SQL | unknown, to: SQL | unknown) =>
  sql`percentile_cont(0.5) within group (order by extract(epoch from ${to} - ${from}) / 60)`;

/** Imported conversations are answered, or opened, in another product. */
const IS_OWN = sql`and ${conversations.importedFrom} is null`;

export function createReportStore(db: Db | Tx): ReportStore {
  async function byDay(
    { projectId, from, to, timezone }: ReportRange,
    of: { table: SQL | unknown; at: SQL | unknown; amount: SQL; only?: SQL },
  ): Promise<DayValues[]> {
    const rows = await db.execute<{ day: string | null; count: number; amount: number | null }>(sql`
      select to_char(day, 'YYYY-MM-DD') as day, count(*)::int as count, (${of.amount})::float8 as amount
      from ${of.table}, lateral (select (${of.at} at time zone ${timezone})::date as day) as days
      where project_id = ${projectId}
        and ${of.at} >= ${from}::timestamp at time zone ${timezone}
        and ${of.at} < (${to}::date + 1)::timestamp at time zone ${timezone}
        ${of.only ?? sql``}
      group by grouping sets ((day), ())`);
    return rows.map(({ day, count, amount }) => ({ day, count, amount }));
  }

  return {
    opened: (range) =>
      byDay(range, {
        table: conversations,
        at: conversations.createdAt,
        amount: sql`null`,
        only: IS_OWN,
      }),
    firstReplies: (range) =>
      byDay(range, {
        table: conversations,
        at: conversations.firstReplyAt,
        amount: minutes(conversations.createdAt, conversations.firstReplyAt),
        only: IS_OWN,
      }),
    resolved: (range) =>
      byDay(range, {
        table: conversationResolutions,
        at: conversationResolutions.resolvedAt,
        amount: minutes(conversationResolutions.openedAt, conversationResolutions.resolvedAt),
      }),
    ratings: (range) =>
      byDay(range, {
        table: conversationResolutions,
        at: conversationResolutions.ratedAt,
        amount: sql`avg(${conversationResolutions.score})`,
      }),
  };
}
