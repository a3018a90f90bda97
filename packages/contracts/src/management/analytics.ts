import { z } from '@hono/zod-openapi';
import { cohortId, reportId } from '../fields/ids.ts';
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

export const computeCohort = operation({
  ...managementOf('analytics'),
  operationId: 'computeCohort',
  permission: 'cohorts.write',
  method: 'post',
  path: '/management/v1/projects/{projectId}/cohorts/{cohortId}/compute',
  summary: 'Queue a computation of the list of a cohort',
  description: 'Lists are computed at least every 15 minutes. The cohort shows the result within seconds.',
  request: { params: z.object({ ...projectParams, cohortId }) },
  responses: { 202: { description: 'The computation is queued.' } },
  errors: {
    404: { description: 'Cohort not found, or it has no conditions in did.', message: 'Cohort not found.' },
  },
});
