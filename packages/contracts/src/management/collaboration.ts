import { z } from '@hono/zod-openapi';
import { anyJson, timestamp } from '../fields/fields.ts';
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

export const recordReportRun = operation({
  ...managementOf('collaboration'),
  operationId: 'recordReportRun',
  permission: 'reports.write',
  method: 'post',
  path: '/management/v1/projects/{projectId}/reports/{reportId}/runs',
  summary: 'Record a run of a report',
  description: 'The public link of the report shows the latest run.',
  maxBodyBytes: 4 * 1024 * 1024,
  maxBodyValues: 300_000,
  request: {
    params: z.object({ ...projectParams, reportId }),
    body: jsonBody(reportRun, { report: { rows: [{ day: '2026-03-01', signUps: 42 }] } }),
  },
  responses: {
    201: jsonResponse('The recorded run.', z.object({ ranAt: timestamp }), {
      ranAt: '2026-03-01T09:30:00.000Z',
    }),
  },
  errors: { 404: { description: 'Project or report not found.', message: 'Report not found.' } },
});
