import { type KeptRun, REPORT_RUNS_KEPT } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import { holdReport } from '@switchboard/directory';
import { and, desc, eq, type SQLWrapper, sql } from 'drizzle-orm';
import { requireHeldReport } from '../directory/reports.ts';
import { reportRunCohorts, reportRunFailures, reportRunHistory, reportRuns } from '../schema/index.ts';

interface NewRun {
  projectId: string;
  reportId: string;
  runId: string;
  ranAt: Date;
  /** JSON without the cohort. */
  report: string;
  /** JSON. */
  cohort: string | undefined;
}

interface FailedRun {
  projectId: string;
  reportId: string;
  runId: string;
  failedAt: Date;
  code: string;
  message: string;
}

/** The fields of a run that comes from a log record. */
interface FromLog {
  logOffset: bigint;
  /** The generation of the report that ran. Undefined: unknown. */
  generation: string | undefined;
}

/** The time of a report's last run, and the reason for a failure since. */
export interface RunState {
  ranAt: Date | null;
  failure: { failedAt: Date; code: string; message: string } | null;
}

export interface RunsStore {
  /**
   * Replaces the last run of the report, regardless of its time. Throws NotFound when the report no longer exists.
   */
  record(run: NewRun, within: Transactor): Promise<void>;
  /**
   * Replaces the last run of the report unless that run is the same or later, or the report that ran no longer
   * exists.
   */
  accept(run: NewRun & FromLog): Promise<void>;
  /**
   * Stores the reason for a failure unless the report ran or failed later, or the report that ran no longer
   * exists.
   */
  recordFailure(run: FailedRun & FromLog): Promise<void>;
  state(projectId: string, reportId: string): Promise<RunState>;
  /** Returns the last 50 runs and failures of a report, newest first. */
  list(projectId: string, reportId: string): Promise<KeptRun[]>;
  /** Returns one of these runs, and its report as JSON. */
  find(
    projectId: string,
    reportId: string,
    runId: string,
  ): Promise<{ run: KeptRun; report: string | null } | undefined>;
}

/** A run or a failure of a report. */
interface HistoryEntry {
  projectId: string;
  reportId: string;
  runId: string;
  ranAt: Date;
  /** JSON without the cohort. Null for a failure. */
  report: string | null;
  failure: { code: string; message: string } | null;
}

const MAX_KEPT_CHARACTERS = 100_000;

const columns = {
  runId: reportRunHistory.runId,
  ranAt: reportRunHistory.ranAt,
  code: reportRunHistory.code,
  message: reportRunHistory.message,
  hasReport: sql<boolean>`${reportRunHistory.report} is not null`,
};

interface Row {
  runId: string;
  ranAt: Date;
  code: string | null;
  message: string | null;
  hasReport: boolean;
}

const keptRun = ({ runId, ranAt, code, message, hasReport }: Row): KeptRun => ({
  runId,
  ranAt: ranAt.toISOString(),
  failure: code === null ? null : { code, message: message ?? '' },
  hasReport,
});

const ofReport = (projectId: string, reportId: string) =>
  and(eq(reportRunHistory.projectId, projectId), eq(reportRunHistory.reportId, reportId));

interface Moment {
  offset: SQLWrapper;
  at: SQLWrapper;
}

/**
 * Whether a run from the log is later than the stored one: by offset, or by time if the topic was recreated and
 * its offsets restarted. The time alone is not enough, because a clock may be set back.
 */
const isLater = (one: Moment, stored: Moment) =>
  sql<boolean>`(${stored.offset} is null or ${one.offset} > ${stored.offset} or ${one.at} > ${stored.at})`;

export function createRunsStore(db: Db): RunsStore {
  return {
    async record({ projectId, reportId, runId, ranAt, report, cohort }, within) {
      await within.transaction(async (tx) => {
        await requireHeldReport(tx, projectId, reportId);
        const [failure] = await tx
          .delete(reportRunFailures)
          .where(and(eq(reportRunFailures.projectId, projectId), eq(reportRunFailures.reportId, reportId)))
          .returning({ logOffset: reportRunFailures.logOffset });
        // A recorded run is later than all log records consumed so far.
        const logOffset = failure?.logOffset ?? null;
        await tx
          .insert(reportRuns)
          .values({ projectId, reportId, runId, ranAt, logOffset, report })
          .onConflictDoUpdate({
            target: [reportRuns.projectId, reportRuns.reportId],
            set: {
              runId,
              ranAt,
              logOffset: sql`greatest(${reportRuns.logOffset}, excluded.log_offset)`,
              report,
            },
          });
        await writeCohort(tx, { projectId, reportId, runId }, cohort);
        await addToHistory(tx, { projectId, reportId, runId, ranAt, report, failure: null });
      });
    },

    async accept({ projectId, reportId, runId, ranAt, logOffset, generation, report, cohort }) {
      await db.transaction(async (tx) => {
        if (!(await isThere(tx, { projectId, reportId, generation }))) return;
        const excluded = { offset: sql`excluded.log_offset`, at: sql`excluded.ran_at` };
        const written = await tx
          .insert(reportRuns)
          .values({ projectId, reportId, runId, ranAt, logOffset, report })
          .onConflictDoUpdate({
            target: [reportRuns.projectId, reportRuns.reportId],
            set: { runId, ranAt, logOffset, report },
            setWhere: sql`${reportRuns.runId} <> excluded.run_id
              and ${isLater(excluded, { offset: reportRuns.logOffset, at: reportRuns.ranAt })}`,
          })
          .returning({ runId: reportRuns.runId });
        if (written.length === 0) return;
        const one = { offset: sql`${logOffset}::bigint`, at: sql`${ranAt.toISOString()}::timestamptz` };
        await tx
          .delete(reportRunFailures)
          .where(
            and(
              eq(reportRunFailures.projectId, projectId),
              eq(reportRunFailures.reportId, reportId),
              isLater(one, { offset: reportRunFailures.logOffset, at: reportRunFailures.failedAt }),
            ),
          );
        await writeCohort(tx, { projectId, reportId, runId }, cohort);
        await addToHistory(tx, { projectId, reportId, runId, ranAt, report, failure: null });
      });
    },

    async recordFailure({ generation, ...run }) {
      const { runId, failedAt, logOffset, code, message } = run;
      const one = { offset: sql`${logOffset}::bigint`, at: sql`${failedAt.toISOString()}::timestamptz` };
      await db.transaction(async (tx) => {
        if (!(await isThere(tx, { ...run, generation }))) return;
        const [last] = await tx
          .select({ isEarlier: isLater(one, { offset: reportRuns.logOffset, at: reportRuns.ranAt }) })
          .from(reportRuns)
          .where(and(eq(reportRuns.projectId, run.projectId), eq(reportRuns.reportId, run.reportId)))
          .for('update');
        if (last?.isEarlier === false) return;
        const { projectId, reportId } = run;
        const entry = { projectId, reportId, runId, ranAt: failedAt, report: null };
        await addToHistory(tx, { ...entry, failure: { code, message } });
        const excluded = { offset: sql`excluded.log_offset`, at: sql`excluded.failed_at` };
        await tx
          .insert(reportRunFailures)
          .values(run)
          .onConflictDoUpdate({
            target: [reportRunFailures.projectId, reportRunFailures.reportId],
            set: { runId, failedAt, logOffset, code, message },
            setWhere: isLater(excluded, {
              offset: reportRunFailures.logOffset,
              at: reportRunFailures.failedAt,
            }),
          });
      });
    },

    async state(projectId, reportId) {
      const [run] = await db
        .select({ ranAt: reportRuns.ranAt })
        .from(reportRuns)
        .where(and(eq(reportRuns.projectId, projectId), eq(reportRuns.reportId, reportId)));
      const [failure] = await db
        .select({
          failedAt: reportRunFailures.failedAt,
          code: reportRunFailures.code,
          message: reportRunFailures.message,
        })
        .from(reportRunFailures)
        .where(and(eq(reportRunFailures.projectId, projectId), eq(reportRunFailures.reportId, reportId)));
      return { ranAt: run?.ranAt ?? null, failure: failure ?? null };
    },

    async list(projectId, reportId) {
      const rows = await db
        .select(columns)
        .from(reportRunHistory)
        .where(ofReport(projectId, reportId))
        .orderBy(desc(reportRunHistory.ranAt), desc(reportRunHistory.runId))
        .limit(REPORT_RUNS_KEPT);
      return rows.map(keptRun);
    },

    async find(projectId, reportId, runId) {
      const [row] = await db
        .select({ ...columns, report: reportRunHistory.report })
        .from(reportRunHistory)
        .where(and(ofReport(projectId, reportId), eq(reportRunHistory.runId, runId)));
      return row && { run: keptRun(row), report: row.report };
    },
  };
}

/** Adds an entry, unless it exists, and removes all but the last 50 of the report. */
async function addToHistory(db: Tx, { report, failure, ...entry }: HistoryEntry): Promise<void> {
  const isKept = report !== null && report.length <= MAX_KEPT_CHARACTERS;
  const { code, message } = failure ?? { code: null, message: null };
  await db
    .insert(reportRunHistory)
    .values({ ...entry, report: isKept ? report : null, code, message })
    .onConflictDoNothing();
  await db.execute(sql`
        delete from ${reportRunHistory}
        where project_id = ${entry.projectId} and report_id = ${entry.reportId} and run_id in (
          select run_id from ${reportRunHistory}
          where project_id = ${entry.projectId} and report_id = ${entry.reportId}
          order by ran_at desc, run_id desc offset ${REPORT_RUNS_KEPT})`);
}

/** Whether the report that ran exists. If so, it is not deleted before the transaction ends. */
async function isThere(
  tx: Tx,
  { projectId, reportId, generation }: Pick<NewRun, 'projectId' | 'reportId'> & Pick<FromLog, 'generation'>,
): Promise<boolean> {
  const report = await holdReport(tx, projectId, reportId);
  return report !== undefined && (generation === undefined || generation === report.generation);
}

async function writeCohort(
  tx: Tx,
  { projectId, reportId, runId }: Pick<NewRun, 'projectId' | 'reportId' | 'runId'>,
  cohort: string | undefined,
): Promise<void> {
  if (cohort === undefined) {
    await tx
      .delete(reportRunCohorts)
      .where(and(eq(reportRunCohorts.projectId, projectId), eq(reportRunCohorts.reportId, reportId)));
    return;
  }
  await tx
    .insert(reportRunCohorts)
    .values({ projectId, reportId, runId, cohort })
    .onConflictDoUpdate({
      target: [reportRunCohorts.projectId, reportRunCohorts.reportId],
      set: { runId, cohort: sql`excluded.cohort` },
    });
}
