import { z } from '@hono/zod-openapi';
import { insightQuery } from '../analytics/query.ts';
import { anyJson, id, timestamp } from '../fields/fields.ts';
import { dashboardId } from '../fields/ids.ts';
import { jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { consoleCommon, projectParams } from './common.ts';

/** A saved report of a dashboard with its last run. */
export const dashboardReport = z
  .object({
    reportId: id,
    name: z.string(),
    query: insightQuery.nullable(),
    ranAt: timestamp.nullable().openapi({ description: 'When the report last ran. null if it never ran.' }),
    report: anyJson.openapi({
      description: 'The last run without its cohort. null if there is none, or if isTooLarge.',
    }),
    isTooLarge: z.boolean().openapi({
      description: 'Whether the run was left out, because the runs before it fill the response.',
    }),
  })
  .openapi('DashboardReport');
export type DashboardReport = z.infer<typeof dashboardReport>;

export const getDashboardReports = operation({
  ...consoleCommon,
  tag: 'Insights',
  operationId: 'getDashboardReports',
  permission: 'insights.read',
  method: 'get',
  path: '/v1/projects/{projectId}/dashboards/{dashboardId}/reports',
  summary: 'Get the reports of a dashboard with their last runs',
  description:
    'Returns each report of the tiles once, in the order of the tiles, with at most 8 MB of runs. Runs are those of the saved queries: apply the range and filters of the dashboard with insights.',
  request: { params: z.object({ ...projectParams, dashboardId }) },
  responses: {
    200: jsonResponse('The reports.', z.object({ reports: z.array(dashboardReport) }), {
      reports: [
        {
          reportId: 'weekly-sign-ups',
          name: 'Weekly sign-ups',
          query: null,
          ranAt: '2026-03-01T09:30:00.000Z',
          report: { rows: [{ day: '2026-03-01', signUps: 42 }] },
          isTooLarge: false,
        },
      ],
    }),
  },
  errors: {
    404: { description: 'Project or dashboard not found.', message: 'Dashboard not found.' },
  },
});
