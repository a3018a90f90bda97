import type { Db } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { reportRunCohorts, reportRuns } from '../schema/index.ts';

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

export interface RunsStore {
  /** Replaces the last run of the report. */
  record(run: NewRun): Promise<void>;
}

export function createRunsStore(db: Db): RunsStore {
  return {
    async record({ cohort, ...run }) {
      const { projectId, reportId, runId, ranAt, report } = run;
      await db.transaction(async (tx) => {
        await tx
          .insert(reportRuns)
          .values(run)
          .onConflictDoUpdate({
            target: [reportRuns.projectId, reportRuns.reportId],
            set: { runId, ranAt, report },
          });
        if (cohort === undefined) {
          await tx
            .delete(reportRunCohorts)
            .where(and(eq(reportRunCohorts.projectId, projectId), eq(reportRunCohorts.reportId, reportId)));
        } else {
          await tx
            .insert(reportRunCohorts)
            .values({ projectId, reportId, runId, cohort })
            .onConflictDoUpdate({
              target: [reportRunCohorts.projectId, reportRunCohorts.reportId],
              set: { runId, cohort: sql`excluded.cohort` },
            });
        }
      });
    },
  };
}
