import type { ReportRun } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { BadRequest, type Clock } from '@switchboard/service-kit';
import { requireReport } from '../directory/reports.ts';
import { newId } from '../ids/ids.ts';
import type { RunsStore } from './store.ts';

/** Properties of a report that a public link does not show, at any depth: they say whom the report is about. */
const COHORT_PROPERTIES = new Set(['cohort', 'cohorts', 'cohortId', 'cohortIds']);
const EARLIEST = new Date('1970-01-01T00:00:00Z');
const LATEST = new Date('9999-12-31T23:59:59.999Z');

interface RunsOptions {
  store: RunsStore;
  directory: Pick<Directory, 'report'>;
  clock: Clock;
}

/** The report as JSON, without its cohort. */
export function withoutCohort(report: unknown): string {
  return JSON.stringify(report, (name, value) => (COHORT_PROPERTIES.has(name) ? undefined : value));
}

export interface Runs {
  /** Records a run, which public links show from then on, whatever its `ranAt`. */
  record(projectId: string, reportId: string, run: ReportRun): Promise<{ ranAt: string }>;
}

export function createRuns({ store, directory, clock }: RunsOptions): Runs {
  return {
    async record(projectId, reportId, run) {
      await requireReport(directory, projectId, reportId);
      const ranAt = run.ranAt === undefined ? clock.now() : new Date(run.ranAt);
      if (ranAt < EARLIEST || ranAt > LATEST) throw new BadRequest('ranAt: not between 1970 and 9999');
      await store.record({
        projectId,
        reportId,
        runId: newId('run'),
        ranAt,
        report: withoutCohort(run.report),
        cohort: run.cohort === undefined ? undefined : JSON.stringify(run.cohort),
      });
      return { ranAt: ranAt.toISOString() };
    },
  };
}
