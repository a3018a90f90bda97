import type { ReportRefresh } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { Removed } from '@switchboard/directory';
import { and, eq, gt, isNotNull, isNull, or, sql } from 'drizzle-orm';
import { savedReports } from '../schema/index.ts';

export interface SavedReport {
  projectId: string;
  reportId: string;
}

export interface ClaimedReport extends SavedReport {
  /** Runs in a row before this one that found the engine busy. */
  attempts: number;
  /** How often it ran by itself when it became due; null: somebody asked for this run. */
  refresh: string | null;
}

export interface RefreshedReport extends SavedReport {
  refresh: ReportRefresh;
  /** When it runs if it is not there yet. */
  firstAt: Date;
  /** Its next time by `refresh`: no run is planned for later. */
  nextAt: Date;
}

export interface SavedReportsStore {
  /**
   * Adds those reports that are not there yet, and brings those forward whose refresh has changed or that are planned for
   * later than their next time, as all are once the clock is set back. One that runs or is tried again is brought forward
   * by a later call.
   */
  adopt(reports: readonly RefreshedReport[]): Promise<void>;
  /**
   * Makes reports due whose claim, retry or requested run is later than `latest`: a clock that was set back put it there.
   */
  release(latest: Date, dueAt: Date): Promise<void>;
  /** Makes a report due, also one that is not there yet. */
  request(report: SavedReport, dueAt: Date): Promise<void>;
  /**
   * Takes a due report, the oldest of its project, of projects in the order of their ids and those after this one before
   * others. Nobody else gets it before `until`.
   */
  claim(now: Date, until: Date, afterProject: string): Promise<ClaimedReport | undefined>;
  /** Ends a claim: the report is due again then, or at once if that was asked for while it ran. */
  reschedule(report: SavedReport, dueAt: Date, attempts: number): Promise<void>;
  /** Ends the claim of a report that does not run by itself: it is removed, unless it was asked for while it ran. */
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

/** A claim moves the time to its own end; a request moves it again. */
const IS_UNTOUCHED = sql`${savedReports.nextRunAt} = ${savedReports.claimedUntil}`;

/** Reports that are gone no longer wait for their next run. */
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
      // Not on conflict, which writes to every row; without those that another instance is bringing forward.
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

    async request({ projectId, reportId }, dueAt) {
      await db.transaction((tx) =>
        tx
          .insert(savedReports)
          .values({ projectId, reportId, nextRunAt: dueAt })
          .onConflictDoUpdate({
            target: [savedReports.projectId, savedReports.reportId],
            // The next look at the directory sets its refresh again.
            set: { nextRunAt: sql`least(${savedReports.nextRunAt}, excluded.next_run_at)`, refresh: null },
          }),
      );
    },

    async claim(now, until, afterProject) {
      const isDue = sql`next_run_at <= ${now.toISOString()}::timestamptz
        and (claimed_until is null or claimed_until <= ${now.toISOString()}::timestamptz)`;
      // One that another instance is taking is left to it.
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
