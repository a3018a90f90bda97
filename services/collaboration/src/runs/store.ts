import type { Db, Tx } from '@switchboard/database';
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

/** From a record of the log. */
interface FromLog {
  logOffset: bigint;
  /** Of the report that ran. Undefined: not known. */
  generation: string | undefined;
}

/** When a report last ran, and why it failed since. */
export interface RunState {
  ranAt: Date | null;
  failure: { failedAt: Date; code: string; message: string } | null;
}

export interface RunsStore {
  /** Replaces the last run of the report, whatever its time. Throws NotFound when the report is gone. */
  record(run: NewRun): Promise<void>;
  /** Replaces the last run of the report unless that is later, or this one, or the report that ran is gone. */
  accept(run: NewRun & FromLog): Promise<void>;
  /** Keeps the reason of a failure unless the report ran or failed later, or the one that ran is gone. */
  recordFailure(run: FailedRun & FromLog): Promise<void>;
  state(projectId: string, reportId: string): Promise<RunState>;
}

interface Moment {
  offset: SQLWrapper;
  at: SQLWrapper;
}

/**
 * Whether one of the log is later than one stored: in the log, or by time if the topic was made anew and its offsets
 * began again. Time alone is not enough, since a clock may be set back.
 */
const isLater = (one: Moment, stored: Moment) =>
  sql<boolean>`(${stored.offset} is null or ${one.offset} > ${stored.offset} or ${one.at} > ${stored.at})`;

export function createRunsStore(db: Db): RunsStore {
  return {
    async record({ projectId, reportId, runId, ranAt, report, cohort }) {
      await db.transaction(async (tx) => {
        await requireHeldReport(tx, projectId, reportId);
        const [failure] = await tx
          .delete(reportRunFailures)
          .where(and(eq(reportRunFailures.projectId, projectId), eq(reportRunFailures.reportId, reportId)))
          .returning({ logOffset: reportRunFailures.logOffset });
        // It follows all of the log that was taken in.
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

/** Whether the report that ran is there. It is not deleted before the transaction ends. */
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
