import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { anyJson, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { reportId } from '../path-ids.ts';
import { managementOf, projectParams } from './facts.ts';

/** One run of a report. The cohort is stored apart and never shown by a public link. */
export const reportRun = z
  .object({
    report: anyJson,
    cohort: anyJson.optional(),
    ranAt: timestamp.optional().openapi({ description: 'Now, when absent.' }),
  })
  .openapi('ReportRun');
export type ReportRun = z.infer<typeof reportRun>;

export const recordReportRun = operation({
  ...managementOf('collaboration'),
  operationId: 'recordReportRun',
  method: 'post',
  path: '/management/v1/projects/{projectId}/reports/{reportId}/runs',
  summary: 'Record a run of a report',
  description: 'What a public link of the report shows from now on.',
  maxBodyBytes: 4 * 1024 * 1024,
  request: {
    params: z.object({ ...projectParams, reportId }),
    body: jsonBody(reportRun, { report: { rows: [{ day: '2026-03-01', signUps: 42 }] } }),
  },
  responses: {
    201: jsonAnswer('The run is recorded.', z.object({ ranAt: timestamp }), {
      ranAt: '2026-03-01T09:30:00.000Z',
    }),
  },
  errors: { 404: 'No such project or report.' },
});
