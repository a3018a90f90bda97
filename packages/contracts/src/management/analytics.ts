import { z } from '@hono/zod-openapi';
import { reportId } from '../fields/ids.ts';
import { operation } from '../operation/operation.ts';
import { managementOf, projectParams } from './common.ts';

export const runReport = operation({
  ...managementOf('analytics'),
  operationId: 'runReport',
  permission: 'reports.write',
  method: 'post',
  path: '/management/v1/projects/{projectId}/reports/{reportId}/run',
  summary: 'Queue a run of a saved report',
  description:
    'The public link of the report shows the run within seconds. A report has at most one run at a time.',
  request: { params: z.object({ ...projectParams, reportId }) },
  responses: { 202: { description: 'The run is queued.' } },
  errors: { 404: { description: 'Report not found, or it has no query.', message: 'Report not found.' } },
});
