import type { Db } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { savedReports } from '../schema/index.ts';

export interface SavedReport {
  projectId: string;
  reportId: string;
}

export interface ClaimedReport extends SavedReport {
  /** Runs in a row before this one that found the engine busy. */
  attempts: number;
}

export interface SavedReportsStore {
  /** Adds those reports that are not there yet, due at their time. */
  add(reports: readonly (SavedReport & { dueAt: Date })[]): Promise<void>;
  /** Makes a report due, also one that is not there yet. */
  request(report: SavedReport, dueAt: Date): Promise<void>;
  /** Takes up to so many due reports, those of different projects first. Nobody else gets them before `until`. */
  claim(now: Date, until: Date, limit: number): Promise<ClaimedReport[]>;
  /** Ends a claim: the report is due again then, or at once if that was asked for while it ran. */
  reschedule(report: SavedReport, dueAt: Date, attempts: number): Promise<void>;
  /** Ends the claim of a report that does not run by itself: it is removed, unless it was asked for while it ran. */
  finish(report: SavedReport): Promise<void>;
  remove(report: SavedReport): Promise<void>;
}

/** Among so many due reports, projects take turns. */
const MAX_CONSIDERED = 500;

const named = ({ projectId, reportId }: SavedReport) =>
  and(eq(savedReports.projectId, projectId), eq(savedReports.reportId, reportId));

/** A claim moves the time to its own end; a request moves it again. */
const IS_UNTOUCHED = sql`${savedReports.nextRunAt} = ${savedReports.claimedUntil}`;

export function createSavedReportsStore(db: Db): SavedReportsStore {
  return {
    async add(reports) {
      if (reports.length === 0) return;
      await db
        .insert(savedReports)
        .values(reports.map(({ projectId, reportId, dueAt }) => ({ projectId, reportId, nextRunAt: dueAt })))
        .onConflictDoNothing();
    },

    async request({ projectId, reportId }, dueAt) {
      await db.transaction((tx) =>
        tx
          .insert(savedReports)
          .values({ projectId, reportId, nextRunAt: dueAt })
          .onConflictDoUpdate({
            target: [savedReports.projectId, savedReports.reportId],
            set: { nextRunAt: sql`least(${savedReports.nextRunAt}, excluded.next_run_at)` },
          }),
      );
    },

    async claim(now, until, limit) {
      const at = now.toISOString();
      return db.transaction(async (tx) => {
        const due = await tx.execute<{ project_id: string; report_id: string }>(sql`
          select project_id, report_id from (
            select project_id, report_id, next_run_at,
              row_number() over (partition by project_id order by next_run_at) as turn
            from (
              select * from ${savedReports}
              where next_run_at <= ${at}::timestamptz
                and (claimed_until is null or claimed_until <= ${at}::timestamptz)
              order by next_run_at limit ${MAX_CONSIDERED}
            ) as waiting
          ) as turns
          order by turn, next_run_at limit ${limit}`);
        const claimed: ClaimedReport[] = [];
        for (const { project_id, report_id } of due) {
          const report = { projectId: project_id, reportId: report_id };
          const [row] = await tx
            .update(savedReports)
            .set({ claimedUntil: until, nextRunAt: until })
            .where(
              and(
                named(report),
                // Another instance may have run it since it was looked for.
                sql`${savedReports.nextRunAt} <= ${at}::timestamptz`,
                sql`(${savedReports.claimedUntil} is null or ${savedReports.claimedUntil} <= ${at}::timestamptz)`,
              ),
            )
            .returning({ attempts: savedReports.attempts });
          if (row !== undefined) claimed.push({ ...report, attempts: row.attempts });
        }
        return claimed;
      });
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
