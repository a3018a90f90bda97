import type { Db, Transactor, Tx } from '@switchboard/database';
import { holdReport } from '@switchboard/directory';
import { and, eq, type SQLWrapper, sql } from 'drizzle-orm';
import { requireHeldReport } from '../directory/reports.ts';
import { reportRunCohorts, reportRunFailures, reportRuns } from '../schema/index.ts';

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
}

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
  };
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
