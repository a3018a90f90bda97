import { z } from '@hono/zod-openapi';
import { insightClause, insightRange } from '../analytics/query.ts';
import { id, name, nonBlankText, text, timestamp } from '../fields/fields.ts';
import { dashboardId } from '../fields/ids.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';

/** The number of columns of the grid on which tiles lie. */
export const DASHBOARD_COLUMNS = 12;
export const MAX_DASHBOARD_TILES = 30;
const MAX_ROW = 500;
const MAX_HEIGHT = 20;

const place = {
  x: z
    .int()
    .min(0)
    .max(DASHBOARD_COLUMNS - 1)
    .openapi({ description: 'The first column, from 0.' }),
  y: z.int().min(0).max(MAX_ROW).openapi({ description: 'The first row, from 0.' }),
  w: z.int().min(1).max(DASHBOARD_COLUMNS).openapi({ description: 'Width in columns.' }),
  h: z.int().min(1).max(MAX_HEIGHT).openapi({ description: 'Height in rows.' }),
};

/** A saved report or a text, and its place on the grid. */
export const dashboardTile = z
  .union([z.strictObject({ ...place, reportId: id }), z.strictObject({ ...place, text: nonBlankText(2000) })])
  .refine(({ x, w }) => x + w <= DASHBOARD_COLUMNS, {
    path: ['w'],
    message: `ends beyond column ${DASHBOARD_COLUMNS}; use a smaller w or x`,
  })
  .openapi('DashboardTile', {
    description: `A saved report or a text on a grid of ${DASHBOARD_COLUMNS} columns.`,
  });
export type DashboardTile = z.infer<typeof dashboardTile>;

export const dashboardDefinition = z
  .object({
    name: name(200),
    description: text({ max: 1000 }).nullable().default(null),
    tiles: z.array(dashboardTile).max(MAX_DASHBOARD_TILES).default([]),
    range: insightRange.nullable().default(null).openapi({
      description: 'The range of every tile with a query. null: each report has its own.',
    }),
    where: z
      .array(insightClause)
      .max(20)
      .default([])
      .openapi({ description: 'Clauses that every tile with a query must match as well.' }),
  })
  .openapi('DashboardDefinition');
export type DashboardDefinition = z.infer<typeof dashboardDefinition>;

export const dashboard = dashboardDefinition
  .extend({
    id,
    projectId: id,
    ownerSub: z.string().nullable().openapi({
      description: 'The sub of the person who created the dashboard. null if erased.',
    }),
    version: z.int().min(1).openapi({ description: 'Increases by one with each change.' }),
    updatedAt: timestamp,
  })
  .openapi('Dashboard', {
    example: {
      id: 'product',
      projectId: 'web-shop',
      name: 'Product',
      description: null,
      tiles: [{ x: 0, y: 0, w: 6, h: 4, reportId: 'weekly-sign-ups' }],
      range: { last: 30, unit: 'day' },
      where: [],
      ownerSub: 'sub-ada',
      version: 1,
      updatedAt: '2026-03-01T09:30:00.000Z',
    },
  });
export type Dashboard = z.infer<typeof dashboard>;

const common = managementOf('collaboration');
const page = paging(50);
const LIST_PATH = '/management/v1/projects/{projectId}/dashboards';
const PATH = '/management/v1/projects/{projectId}/dashboards/{dashboardId}';
const params = z.object({ ...projectParams, dashboardId });
const notFound = {
  404: { description: 'Project or dashboard not found.', message: 'Dashboard not found.' },
};
const headers = z.object({
  'If-Match': text({ min: 1, max: 50 }).optional().openapi({ example: '"3"' }),
});
const versionConflict = {
  description: 'The dashboard is not at the version that If-Match names.',
  message: 'If-Match: the dashboard is at version 4. Read it again and repeat your change.',
};

export const listDashboards = operation({
  ...common,
  operationId: 'listDashboards',
  permission: 'directory.read',
  method: 'get',
  path: LIST_PATH,
  summary: 'List the dashboards of a project',
  description: page.description,
  request: { params: z.object(projectParams), query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of dashboards.', z.object({ dashboards: z.array(dashboard), ...page.answer })),
  },
});

export const getDashboard = operation({
  ...common,
  operationId: 'getDashboard',
  permission: 'directory.read',
  method: 'get',
  path: PATH,
  summary: 'Get a dashboard',
  request: { params },
  responses: { 200: jsonResponse('The dashboard. ETag is its version.', dashboard) },
  errors: notFound,
});

export const putDashboard = operation({
  ...common,
  operationId: 'putDashboard',
  permission: 'reports.write',
  method: 'put',
  path: PATH,
  summary: 'Create or replace a dashboard',
  description:
    'Send the ETag of the dashboard as If-Match to keep the changes of others. A tile of a deleted report stays until you remove it.',
  request: {
    params,
    headers,
    body: jsonBody(dashboardDefinition, {
      name: 'Product',
      tiles: [{ x: 0, y: 0, w: 6, h: 4, reportId: 'weekly-sign-ups' }],
      range: { last: 30, unit: 'day' },
    }),
  },
  responses: { 200: jsonResponse('The stored dashboard. ETag is its version.', dashboard) },
  errors: {
    404: 'Project not found.',
    409: {
      description:
        'The project has the maximum number of dashboards, or the dashboard has a public link and would get a range or filters.',
      message: 'The project has 500 dashboards. Delete one first.',
    },
    412: versionConflict,
  },
});

export const deleteDashboard = operation({
  ...common,
  operationId: 'deleteDashboard',
  permission: 'reports.write',
  method: 'delete',
  path: PATH,
  summary: 'Delete a dashboard',
  description: 'Its reports stay.',
  request: { params },
  responses: { 204: deleted },
});
