import type { Db, Tx } from '@switchboard/database';
import { and, eq, lte, sql } from 'drizzle-orm';
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

/** When a report last ran, and why it failed since. */
export interface RunState {
  ranAt: Date | null;
  failure: { failedAt: Date; code: string; message: string } | null;
}

export interface RunsStore {
  /** Replaces the last run of the report, whatever its time. */
  record(run: NewRun): Promise<void>;
  /** Replaces the last run of the report unless that is newer, or this one. */
  recordIfNewer(run: NewRun): Promise<void>;
  /** Keeps the reason of a failure unless the report ran or failed later. */
  recordFailure(run: FailedRun): Promise<void>;
  state(projectId: string, reportId: string): Promise<RunState>;
}

export function createRunsStore(db: Db): RunsStore {
  async function write(run: NewRun, onlyIfNewer: boolean): Promise<void> {
    const { projectId, reportId, runId, ranAt, report, cohort } = run;
    await db.transaction(async (tx) => {
      const written = await tx
        .insert(reportRuns)
        .values({ projectId, reportId, runId, ranAt, report })
        .onConflictDoUpdate({
          target: [reportRuns.projectId, reportRuns.reportId],
          set: { runId, ranAt, report },
          ...(onlyIfNewer
            ? {
                setWhere: sql`${reportRuns.ranAt} <= excluded.ran_at and ${reportRuns.runId} <> excluded.run_id`,
              }
            : {}),
        })
        .returning({ runId: reportRuns.runId });
      if (written.length === 0) return;
      await tx
        .delete(reportRunFailures)
        .where(
          and(
            eq(reportRunFailures.projectId, projectId),
            eq(reportRunFailures.reportId, reportId),
            onlyIfNewer ? lte(reportRunFailures.failedAt, ranAt) : undefined,
          ),
        );
      await writeCohort(tx, run, cohort);
    });
  }

  return {
    record: (run) => write(run, false),
    recordIfNewer: (run) => write(run, true),

    async recordFailure(run) {
      const { runId, failedAt, code, message } = run;
      await db.transaction(async (tx) => {
        const [last] = await tx
          .select({ ranAt: reportRuns.ranAt })
          .from(reportRuns)
          .where(and(eq(reportRuns.projectId, run.projectId), eq(reportRuns.reportId, run.reportId)))
          .for('update');
        if (last !== undefined && last.ranAt >= failedAt) return;
        await tx
          .insert(reportRunFailures)
          .values(run)
          .onConflictDoUpdate({
            target: [reportRunFailures.projectId, reportRunFailures.reportId],
            set: { runId, failedAt, code, message },
            setWhere: sql`${reportRunFailures.failedAt} <= excluded.failed_at`,
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

async function writeCohort(tx: Tx, run: NewRun, cohort: string | undefined): Promise<void> {
  const { projectId, reportId, runId } = run;
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
