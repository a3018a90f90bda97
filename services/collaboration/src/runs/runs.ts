import type { KeptRun, ReportRun, ReportRunRecord, ReportRunState } from '@switchboard/contracts';
import type { Transactor } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { BadRequest, NotFound } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { requireReport } from '../directory/reports.ts';
import { newId } from '../ids/ids.ts';
import type { RunsStore } from './store.ts';

/** Properties of a report that public links omit at any depth, because they identify the people it is about. */
const COHORT_PROPERTIES = new Set(['cohort', 'cohorts', 'cohortId', 'cohortIds']);
const EARLIEST = new Date('1970-01-01T00:00:00Z');
const LATEST = new Date('9999-12-31T23:59:59.999Z');

type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

interface RunsOptions {
  store: RunsStore;
  directory: Pick<Directory, 'report'>;
  clock: Clock;
}

/** Returns the report as JSON, without its cohort. */
export function withoutCohort(report: unknown): string {
  return JSON.stringify(report, (name, value) => (COHORT_PROPERTIES.has(name) ? undefined : value));
}

export interface Runs {
  /** Records a run. Public links show it from then on, regardless of its `ranAt`. */
  record(within: Transactor, projectId: string, reportId: string, run: ReportRun): Promise<{ ranAt: string }>;
  /**
   * Stores a run of a saved report from the record at this offset. Repeated deliveries are ignored. The run
   * replaces an earlier one; a failure keeps the last run and stores the reason.
   */
  accept(run: ReportRunRecord, offset: bigint): Promise<void>;
  /** Throws NotFound. */
  state(projectId: string, reportId: string): Promise<ReportRunState>;
  /** Returns the last runs and failures, newest first. Throws NotFound. */
  list(projectId: string, reportId: string): Promise<KeptRun[]>;
  /** Returns a run with its report, null if that is not kept. Throws NotFound. */
  find(projectId: string, reportId: string, runId: string): Promise<KeptRun & { report: JsonValue }>;
}

export function createRuns({ store, directory, clock }: RunsOptions): Runs {
  return {
    async record(within, projectId, reportId, run) {
      await requireReport(directory, projectId, reportId);
      const ranAt = run.ranAt === undefined ? clock.now() : new Date(run.ranAt);
      if (ranAt < EARLIEST || ranAt > LATEST) throw new BadRequest('ranAt: not between 1970 and 9999');
      await store.record(
        {
          projectId,
          reportId,
          runId: newId('run'),
          ranAt,
          report: withoutCohort(run.report),
          cohort: run.cohort === undefined ? undefined : JSON.stringify(run.cohort),
        },
        within,
      );
      return { ranAt: ranAt.toISOString() };
    },

    async accept(run, logOffset) {
      const { projectId, reportId, runId, generation } = run;
      // Waits for a report that this service does not know yet.
      await directory.report(projectId, reportId);
      const from = { logOffset, generation };
      const at = new Date(run.ranAt);
      if ('error' in run) {
        await store.recordFailure({ projectId, reportId, runId, failedAt: at, ...from, ...run.error });
        return;
      }
      const report = withoutCohort(run.report);
      await store.accept({ projectId, reportId, runId, ranAt: at, ...from, report, cohort: undefined });
    },

    async list(projectId, reportId) {
      await requireReport(directory, projectId, reportId);
      return store.list(projectId, reportId);
    },

    async find(projectId, reportId, runId) {
      await requireReport(directory, projectId, reportId);
      const found = await store.find(projectId, reportId, runId);
      if (found === undefined) throw new NotFound('Run not found.');
      return { ...found.run, report: found.report === null ? null : JSON.parse(found.report) };
    },

    async state(projectId, reportId) {
      const { query } = await requireReport(directory, projectId, reportId);
      const { ranAt, failure } = await store.state(projectId, reportId);
      // A report without a query does not run, so its last failure is irrelevant.
      const isRun = query !== undefined && query !== null;
      return {
        ranAt: ranAt?.toISOString() ?? null,
        failure: failure && isRun ? { ...failure, failedAt: failure.failedAt.toISOString() } : null,
      };
    },
  };
}
