import type { Database } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { reportRunCohorts, reportRuns } from '../schema.ts';

interface NewRun {
  projectId: string;
  reportId: string;
  runId: string;
  ranAt: Date;
  report: string;
  cohort: string | undefined;
}

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore({ drizzle }: Pick<Database, 'drizzle'>) {
  return {
    /** Keeps this run in place of the one before. */
    async record({ cohort, ...run }: NewRun): Promise<void> {
      const { projectId, reportId, runId, ranAt, report } = run;
      await drizzle.transaction(async (tx) => {
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
