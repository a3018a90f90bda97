import { z } from '@hono/zod-openapi';
import { anyJson, id, timestamp } from '../fields/fields.ts';
import { reportId } from '../fields/ids.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { managementOf, projectParams } from './common.ts';

/** A run of a report. The cohort is stored separately and never shown by a public link. */
export const reportRun = z
  .object({
    report: anyJson,
    cohort: anyJson.optional(),
    ranAt: timestamp.optional().openapi({ description: 'Default: now.' }),
  })
  .openapi('ReportRun');
export type ReportRun = z.infer<typeof reportRun>;

const runState = z
  .object({
    ranAt: timestamp.nullable().openapi({ description: 'When the report last ran. null if it never ran.' }),
    failure: z.object({ failedAt: timestamp, code: z.string(), message: z.string() }).nullable().openapi({
      description:
        'The failure of its query since the last run. Public links show the last run until the query succeeds.',
    }),
  })
  .openapi('ReportRunState');
export type ReportRunState = z.infer<typeof runState>;

const RUNS_PATH = '/management/v1/projects/{projectId}/reports/{reportId}/runs';
const params = z.object({ ...projectParams, reportId });
const notFound = { 404: { description: 'Project or report not found.', message: 'Report not found.' } };

export const getReportRunState = operation({
  ...managementOf('collaboration'),
  operationId: 'getReportRunState',
  permission: 'directory.read',
  method: 'get',
  path: `${RUNS_PATH}/last`,
  summary: 'Get when a report last ran',
  request: { params },
  responses: {
    200: jsonResponse('The last run, and the failure since then.', runState, {
      ranAt: '2026-03-01T09:30:00.000Z',
      failure: null,
    }),
  },
  errors: notFound,
});

export const recordReportRun = operation({
  ...managementOf('collaboration'),
  operationId: 'recordReportRun',
  permission: 'reports.write',
  method: 'post',
  path: RUNS_PATH,
  summary: 'Record a run of a report',
  description: 'The public link of the report shows the latest run.',
  maxBodyBytes: 4 * 1024 * 1024,
  maxBodyValues: 300_000,
  request: {
    params,
    body: jsonBody(reportRun, { report: { rows: [{ day: '2026-03-01', signUps: 42 }] } }),
  },
  responses: {
    201: jsonResponse('The recorded run.', z.object({ ranAt: timestamp }), {
      ranAt: '2026-03-01T09:30:00.000Z',
    }),
  },
  errors: notFound,
});

/** The number of runs of a report that are kept beside the last one. */
export const REPORT_RUNS_KEPT = 50;

const keptRun = z
  .object({
    runId: id,
    ranAt: timestamp,
    failure: z.object({ code: z.string(), message: z.string() }).nullable().openapi({
      description: 'The reason for which there is no report. null: the query succeeded.',
    }),
    hasReport: z.boolean().openapi({
      description: 'Whether the report is kept. One of more than 100 kB is not.',
    }),
  })
  .openapi('KeptRun');
export type KeptRun = z.infer<typeof keptRun>;
const HISTORY_PATH = '/management/v1/projects/{projectId}/reports/{reportId}/run-history';
const keptRunExample = {
  runId: 'run_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  ranAt: '2026-03-01T09:30:00.000Z',
  failure: null,
  hasReport: true,
};

export const listReportRuns = operation({
  ...managementOf('collaboration'),
  operationId: 'listReportRuns',
  permission: 'insights.read',
  method: 'get',
  path: HISTORY_PATH,
  summary: 'List the runs of a report',
  description: `Returns the last ${REPORT_RUNS_KEPT} runs and failures, newest first.`,
  request: { params },
  responses: {
    200: jsonResponse('The runs.', z.object({ runs: z.array(keptRun) }), { runs: [keptRunExample] }),
  },
  errors: notFound,
});

export const getReportRun = operation({
  ...managementOf('collaboration'),
  operationId: 'getReportRun',
  permission: 'insights.read',
  method: 'get',
  path: `${HISTORY_PATH}/{runId}`,
  summary: 'Get a run of a report',
  request: {
    params: params.extend({ runId: id.openapi({ param: { name: 'runId', in: 'path' } }) }),
  },
  responses: {
    200: jsonResponse(
      'The run without its cohort.',
      keptRun.extend({ report: anyJson }).openapi('KeptRunReport'),
      {
        ...keptRunExample,
        report: { rows: [{ day: '2026-03-01', signUps: 42 }] },
      },
    ),
  },
  errors: { 404: { description: 'Project, report or run not found.', message: 'Run not found.' } },
});
