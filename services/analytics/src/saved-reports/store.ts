import type { ReportRefresh } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import type { Removed } from '@switchboard/directory';
import { and, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { savedReports } from '../schema/index.ts';

export interface SavedReport {
  projectId: string;
  reportId: string;
}

export interface ClaimedReport extends SavedReport {
  /** The number of consecutive earlier runs that found the engine busy. */
  attempts: number;
  /** The refresh of the report when it became due; null for a requested run. */
  refresh: string | null;
}

export interface RefreshedReport extends SavedReport {
  refresh: ReportRefresh;
  /** The first run of a report that is not in the table yet. */
  firstAt: Date;
  /** The next time by `refresh`. No run is planned for later. */
  nextAt: Date;
}

export interface SavedReportsStore {
  /**
   * Adds missing reports. Brings a report forward if its refresh has changed or if it is planned for later than
   * `nextAt`, which happens when the clock is set back. A report that is running or being retried is brought forward
   * by a later call.
   */
  adopt(reports: readonly RefreshedReport[]): Promise<void>;
  /**
   * Makes reports due with a claim, retry or requested run later than `latest`, which happens when the clock was set
   * back.
   */
  release(latest: Date, dueAt: Date): Promise<void>;
  /** Makes a report due, and adds it if it is missing. */
  request(report: SavedReport, dueAt: Date, within: Transactor): Promise<void>;
  /**
   * Claims a due report until `until`, the oldest of its project. Projects take turns in the order of their ids,
   * beginning after `afterProject`.
   */
  claim(now: Date, until: Date, afterProject: string): Promise<ClaimedReport | undefined>;
  /** Ends a claim. The report is due again at `dueAt`, or at once if it was requested during the run. */
  reschedule(report: SavedReport, dueAt: Date, attempts: number): Promise<void>;
  /** Ends the claim of a report without a refresh and removes it, unless it was requested during the run. */
  finish(report: SavedReport): Promise<void>;
  remove(report: SavedReport): Promise<void>;
}

type ClaimedRow = {
  project_id: string;
  report_id: string;
  attempts: number;
  refresh: string | null;
};

const named = ({ projectId, reportId }: SavedReport) =>
  and(eq(savedReports.projectId, projectId), eq(savedReports.reportId, reportId));

/** Whether no request came during the claim: a claim sets the time to its own end, and a request changes it. */
const IS_UNTOUCHED = sql`${savedReports.nextRunAt} = ${savedReports.claimedUntil}`;

/** Removes the next runs of deleted reports. */
export async function removeSavedReports(tx: Tx, removed: readonly Removed[]): Promise<void> {
  for (const one of removed) if (one.kind === 'report') await tx.delete(savedReports).where(named(one));
}

export function createSavedReportsStore(db: Db): SavedReportsStore {
  return {
    async adopt(reports) {
      if (reports.length === 0) return;
      await db
        .insert(savedReports)
        .values(
          reports.map(({ projectId, reportId, refresh, firstAt }) => ({
            projectId,
            reportId,
            refresh,
            nextRunAt: firstAt,
          })),
        )
        .onConflictDoNothing();
      const column = (partOf: (report: RefreshedReport) => string) =>
        sql`${sql.param(reports.map(partOf))}::text[]`;
      // Without `on conflict`, which writes every row. Skips rows that another instance is bringing forward.
      await db.execute(sql`
        with changed as (
          select report.project_id, report.report_id, wanted.refresh, wanted.next_at::timestamptz as next_at
          from ${savedReports} as report join unnest(
            ${column(({ projectId }) => projectId)}, ${column(({ reportId }) => reportId)},
            ${column(({ refresh }) => refresh)}, ${column(({ nextAt }) => nextAt.toISOString())}
          ) as wanted (project_id, report_id, refresh, next_at)
            on report.project_id = wanted.project_id and report.report_id = wanted.report_id
          where (report.refresh is distinct from wanted.refresh
              or report.next_run_at > wanted.next_at::timestamptz)
            and report.claimed_until is null and report.attempts = 0
          for update of report skip locked
        )
        update ${savedReports} as report
        set refresh = changed.refresh, next_run_at = least(report.next_run_at, changed.next_at)
        from changed where report.project_id = changed.project_id and report.report_id = changed.report_id`);
    },

    async release(latest, dueAt) {
      await db
        .update(savedReports)
        .set({ nextRunAt: dueAt, claimedUntil: null })
        .where(
          and(
            gt(savedReports.nextRunAt, latest),
            or(
              isNull(savedReports.refresh),
              isNotNull(savedReports.claimedUntil),
              gt(savedReports.attempts, 0),
            ),
          ),
        );
    },

    async request({ projectId, reportId }, dueAt, within) {
      await within.transaction((tx) =>
        tx
          .insert(savedReports)
          .values({ projectId, reportId, nextRunAt: dueAt })
          .onConflictDoUpdate({
            target: [savedReports.projectId, savedReports.reportId],
            // The next search of the directory sets the refresh again.
            set: { nextRunAt: sql`least(${savedReports.nextRunAt}, excluded.next_run_at)`, refresh: null },
          }),
      );
    },

    async claim(now, until, afterProject) {
      const isDue = sql`next_run_at <= ${now.toISOString()}::timestamptz
        and (claimed_until is null or claimed_until <= ${now.toISOString()}::timestamptz)`;
      // Skips a report that another instance is claiming.
      const [row] = await db.execute<ClaimedRow>(sql`
        update ${savedReports} set claimed_until = ${until.toISOString()}, next_run_at = ${until.toISOString()}
        where (project_id, report_id) = (
          select project_id, report_id from ${savedReports} where ${isDue}
          order by project_id > ${afterProject} desc, project_id, next_run_at
          limit 1 for update skip locked
        )
        returning project_id, report_id, attempts, refresh`);
      return (
        row && {
          projectId: row.project_id,
          reportId: row.report_id,
          attempts: row.attempts,
          refresh: row.refresh,
        }
      );
    },

    async reschedule(report, dueAt, attempts) {
      await db
        .update(savedReports)
        .set({
          nextRunAt: sql`case when ${IS_UNTOUCHED} then ${dueAt.toISOString()}::timestamptz else ${savedReports.nextRunAt} end`,
          claimedUntil: null,
          attempts,
        })
        .where(named(report));
    },

    async finish(report) {
      await db.delete(savedReports).where(and(named(report), IS_UNTOUCHED));
      await db.update(savedReports).set({ claimedUntil: null, attempts: 0 }).where(named(report));
    },

    async remove(report) {
      await db.delete(savedReports).where(named(report));
    },
  };
}
