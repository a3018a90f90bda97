import { randomUUID } from 'node:crypto';
import {
  type InsightQuery,
  insightQuery,
  MAX_REPORT_RUN_BYTES,
  problemsOf,
  type ReportRunError,
  type ReportRunRecord,
} from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { BadRequest, NotFound, Unavailable } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { z } from 'zod';
import type { Insights } from '../insights/insights.ts';
import type { SavedReport } from './store.ts';

const resultBody = z.object({ asOf: z.string(), report: z.record(z.string(), z.unknown()) });
const MAX_MESSAGE = 2000;

/** A saved report that this region runs, with its query. */
interface Runnable {
  refresh: string | null;
  generation?: string | undefined;
  /** A BadRequest if this version cannot run the query. */
  query: InsightQuery | BadRequest;
}

export interface ReportRunner {
  /** Returns undefined for a report that was deleted, has no query, or belongs to another region. */
  find(report: SavedReport): Promise<Runnable | undefined>;
  /** Runs a report. Throws Unavailable where a retry may help. */
  run(report: SavedReport, found: Runnable): Promise<ReportRunRecord>;
  /** Returns the run of a report that failed too often. */
  failed(report: SavedReport, found: Pick<Runnable, 'generation'>, error: ReportRunError): ReportRunRecord;
}

interface RunnerOptions {
  directory: Pick<Directory, 'project' | 'report'>;
  insights: Insights;
  region: string;
  clock: Clock;
}

export function createReportRunner({ directory, insights, region, clock }: RunnerOptions): ReportRunner {
  const newRun = ({ projectId, reportId }: SavedReport, { generation }: Pick<Runnable, 'generation'>) => ({
    projectId,
    reportId,
    ...(generation !== undefined && { generation }),
    runId: randomUUID(),
    ranAt: clock.now().toISOString(),
  });

  function failed(
    report: SavedReport,
    found: Pick<Runnable, 'generation'>,
    { code, message }: ReportRunError,
  ): ReportRunRecord {
    return {
      ...newRun(report, found),
      error: { code, message: message.toWellFormed().slice(0, MAX_MESSAGE) },
    };
  }

  return {
    failed,

    async find({ projectId, reportId }) {
      const project = await directory.project(projectId);
      const report = await directory.report(projectId, reportId);
      if (project?.region !== region || report?.query === undefined || report.query === null)
        return undefined;
      const { refresh = null, generation, query } = report;
      const { data, error } = insightQuery.safeParse(query);
      return { refresh, generation, query: data ?? refusal(query, error) };
    },

    async run(report, found) {
      const { query } = found;
      if (query instanceof BadRequest) {
        return failed(report, found, { code: 'INVALID_QUERY', message: query.message });
      }
      try {
        const result = await insights.ask(report.projectId, query);
        const { body } = await result.prepare();
        if (Buffer.byteLength(body) > MAX_REPORT_RUN_BYTES) {
          return failed(report, found, {
            code: 'TOO_LARGE',
            message: 'The result is too large; use a shorter range.',
          });
        }
        const { asOf, report: content } = resultBody.parse(JSON.parse(body));
        return { ...newRun(report, found), asOf, report: content };
      } catch (error) {
        if (!(error instanceof BadRequest || error instanceof NotFound)) throw error;
        return failed(report, found, { code: 'INVALID_QUERY', message: error.message });
      }
    },
  };
}

function refusal(query: unknown, error: z.core.$ZodError | undefined): BadRequest {
  const [problem] = problemsOf({ schema: insightQuery, value: query, error }, { where: 'query', most: 1 });
  return new BadRequest(problem?.message ?? 'query: not valid');
}

/** Whether a run that threw this error may succeed a little later. */
export const isBusy = (error: unknown): error is Unavailable => error instanceof Unavailable;
