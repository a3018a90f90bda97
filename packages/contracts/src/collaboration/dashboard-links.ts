import { z } from '@hono/zod-openapi';
import { id } from '../fields/fields.ts';
import { dashboardId } from '../fields/ids.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { consoleCommon, projectParams } from './common.ts';
import { linkFields, publicLinkDefinition } from './public-links.ts';

export const dashboardLink = z.object({ dashboardId: id, ...linkFields }).openapi('DashboardLink', {
  example: {
    dashboardId: 'product',
    token: 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c',
    url: 'https://links.example.com/q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c',
    createdAt: '2026-03-01T09:30:00.000Z',
    expiresAt: '2026-04-01T00:00:00.000Z',
    expiresOn: '2026-04-01',
  },
});
export type DashboardLink = z.infer<typeof dashboardLink>;

const ofDashboard = {
  ...consoleCommon,
  tag: 'Public links',
  path: '/v1/projects/{projectId}/dashboards/{dashboardId}/public-link',
  request: { params: z.object({ ...projectParams, dashboardId }) },
} as const;

export const getDashboardLink = operation({
  ...ofDashboard,
  operationId: 'getDashboardLink',
  permission: 'directory.read',
  method: 'get',
  summary: 'Get the public link of a dashboard',
  description: 'Returns 404 if the link was turned off or has expired.',
  responses: { 200: jsonResponse('The public link.', dashboardLink) },
  errors: {
    404: {
      description: 'The project or dashboard was not found, or the dashboard has no active public link.',
      message: 'Public link not found: this dashboard has no active link.',
    },
  },
});

export const putDashboardLink = operation({
  ...ofDashboard,
  operationId: 'putDashboardLink',
  permission: 'reports.publish',
  method: 'put',
  summary: 'Create a public link of a dashboard or change its expiry',
  description:
    'The rules of the public link of a report. The page shows the last run of each report without its cohort, and not the range and filters of the dashboard: a dashboard that has any gets 409.',
  request: { ...ofDashboard.request, body: jsonBody(publicLinkDefinition, { expiresOn: '2026-04-01' }) },
  responses: { 200: jsonResponse('The public link.', dashboardLink) },
  errors: {
    404: { description: 'Project or dashboard not found.', message: 'Dashboard not found.' },
    409: {
      description: 'The dashboard has a range or filters.',
      message: 'A public link shows saved runs. Remove the range and the filters of the dashboard first.',
    },
  },
});

export const deleteDashboardLink = operation({
  ...ofDashboard,
  operationId: 'deleteDashboardLink',
  permission: 'reports.publish',
  method: 'delete',
  summary: 'Delete the public link of a dashboard',
  description: 'The URL of the link returns 404 immediately.',
  responses: { 204: deleted },
  errors: { 404: { description: 'Project or dashboard not found.', message: 'Dashboard not found.' } },
});
