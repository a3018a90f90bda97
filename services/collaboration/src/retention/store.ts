import { type Db, removeSome } from '@switchboard/database';
import { lt, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import {
  comments,
  deliveries,
  droppedEndpoints,
  reactions,
  reportRunCohorts,
  reportRunFailures,
  reportRunHistory,
  reportRuns,
  shares,
  subscriptionMails,
  threads,
} from '../schema/index.ts';

/**
 * The removal methods run in one bounded transaction each and return the number of rows removed, or 0 when
 * nothing is left.
 */
export interface RetentionStore {
  /** Removes threads without activity (start, resolution, comment or edit) since this time, with their comments. */
  removeThreads(before: Date): Promise<number>;
  oldestThread(): Promise<Date | undefined>;
  /** Removes shares with their deliveries. */
  removeShares(before: Date): Promise<number>;
  oldestShare(): Promise<Date | undefined>;
  /** Removes mails of subscriptions from before this time. */
  removeMails(before: Date): Promise<number>;
  oldestMail(): Promise<Date | undefined>;
  /** Removes endpoints that were reported gone before this time. */
  removeEndpoints(before: Date): Promise<number>;
  oldestEndpoint(): Promise<Date | undefined>;
  /** Removes runs and failures of reports from before this time. */
  removeRuns(before: Date): Promise<number>;
  oldestRun(): Promise<Date | undefined>;
}

const MAX_OWNERS = 100;
const MAX_ROWS = 5_000;

export function createRetentionStore(db: Db): RetentionStore {
  const timeOf = (date: Date) => sql`${date.toISOString()}::timestamptz`;
  const olderThan = (before: Date, column: PgColumn) => ({
    where: lt(column, before),
    limit: MAX_ROWS,
    orderBy: column,
    skipsLocked: true,
  });
  const idsOf = (rows: readonly { id: string }[]) => sql`${sql.param(rows.map(({ id }) => id))}::text[]`;
  const oldestOf = async (query: SQL) => {
    const [row] = await db.execute<{ oldest: string | null }>(query);
    return row?.oldest == null ? undefined : new Date(row.oldest);
  };

  return {
    removeThreads: (before) =>
      db.transaction(async (tx) => {
        const time = timeOf(before);
        const isOld = sql`created_at < ${time} and (resolved_at is null or resolved_at < ${time}) and not exists (
          select 1 from ${comments} where thread_id = threads.id
            and (created_at >= ${time} or edited_at >= ${time} or deleted_at >= ${time}))`;
        // A reply waits for this lock and then does not find the thread.
        const locked = await tx.execute<{ id: string }>(sql`
          select id from ${threads} where ${isOld} order by created_at, id limit ${MAX_OWNERS}
          for update skip locked`);
        if (locked.length === 0) return 0;
        // Checked again, because a thread may have received a reply just before it was locked.
        const old = await tx.execute<{ id: string }>(sql`
          select id from ${threads} where ${isOld} and id = any(${idsOf(locked)})`);
        const ids = sql`any(${idsOf(old)})`;
        const reacted = await tx.execute(sql`
          delete from ${reactions} where comment_id in (select id from ${comments} where thread_id = ${ids})`);
        const written = await tx.execute(sql`delete from ${comments} where thread_id = ${ids}`);
        const begun = await tx.execute(sql`delete from ${threads} where id = ${ids}`);
        return reacted.count + written.count + begun.count;
      }),

    oldestThread: () => oldestOf(sql`select min(created_at) as oldest from ${threads}`),

    removeShares: (before) =>
      db.transaction(async (tx) => {
        const locked = await tx.execute<{ id: string }>(sql`
          select id from ${shares} where created_at < ${timeOf(before)} order by created_at, id
          limit ${MAX_OWNERS} for update skip locked`);
        if (locked.length === 0) return 0;
        const ids = sql`any(${idsOf(locked)})`;
        const { count } = await tx.execute(sql`delete from ${deliveries} where share_id = ${ids}`);
        await tx.execute(sql`delete from ${shares} where id = ${ids}`);
        return locked.length + count;
      }),

    oldestShare: () => oldestOf(sql`select min(created_at) as oldest from ${shares}`),

    removeMails: (before) =>
      removeSome(db, subscriptionMails, olderThan(before, subscriptionMails.createdAt)),
    oldestMail: () => oldestOf(sql`select min(created_at) as oldest from ${subscriptionMails}`),

    removeEndpoints: (before) =>
      removeSome(db, droppedEndpoints, olderThan(before, droppedEndpoints.droppedAt)),

    oldestEndpoint: () => oldestOf(sql`select min(dropped_at) as oldest from ${droppedEndpoints}`),

    removeRuns: (before) =>
      db.transaction(async (tx) => {
        const failed = await removeSome(tx, reportRunFailures, olderThan(before, reportRunFailures.failedAt));
        const kept = await removeSome(tx, reportRunHistory, olderThan(before, reportRunHistory.ranAt));
        const locked = await tx.execute<{ project_id: string; report_id: string }>(sql`
          select project_id, report_id from ${reportRuns} where ran_at < ${timeOf(before)}
          order by ran_at limit ${MAX_OWNERS} for update skip locked`);
        if (locked.length === 0) return failed + kept;
        const named = sql`(project_id, report_id) in (select * from unnest(
          ${sql.param(locked.map((row) => row.project_id))}::text[],
          ${sql.param(locked.map((row) => row.report_id))}::text[]))`;
        const counted = await tx.execute(sql`delete from ${reportRunCohorts} where ${named}`);
        await tx.execute(sql`delete from ${reportRuns} where ${named}`);
        return failed + kept + counted.count + locked.length;
      }),

    oldestRun: () =>
      oldestOf(sql`select least(
        (select min(ran_at) from ${reportRuns}), (select min(ran_at) from ${reportRunHistory})) as oldest`),
  };
}
