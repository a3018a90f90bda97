import { z } from '@hono/zod-openapi';
import { anyJson, day, id, timestamp } from '../fields/fields.ts';
import { deleted, jsonBody, jsonResponse, notModified } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { consoleCommon, reportParams } from './common.ts';

/** The fields that links of reports and dashboards have in common. */
export const linkFields = {
  token: z.string(),
  url: z.string().openapi({ description: 'The public URL.' }),
  createdAt: timestamp,
  expiresAt: timestamp.openapi({ description: 'The start of expiresOn in UTC.' }),
  expiresOn: day,
};

export const publicLink = z
  .object({
    reportId: id,
    ...linkFields,
    ranAt: timestamp.nullable().optional().openapi({ description: 'When the report last ran.' }),
  })
  .openapi('PublicLink', {
    example: {
      reportId: 'weekly-sign-ups',
      token: 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c',
      url: 'https://links.example.com/q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c',
      createdAt: '2026-03-01T09:30:00.000Z',
      expiresAt: '2026-04-01T00:00:00.000Z',
      expiresOn: '2026-04-01',
      ranAt: null,
    },
  });
export type PublicLink = z.infer<typeof publicLink>;

export const publicLinkDefinition = z.strictObject({ expiresOn: day }).openapi('PublicLinkDefinition');
export type PublicLinkDefinition = z.infer<typeof publicLinkDefinition>;

const common = {
  ...consoleCommon,
  tag: 'Public links',
  path: '/v1/projects/{projectId}/reports/{reportId}/public-link',
} as const;
const params = z.object(reportParams);

export const getPublicLink = operation({
  ...common,
  operationId: 'getPublicLink',
  permission: 'directory.read',
  method: 'get',
  summary: 'Get the public link of a report',
  description: 'Returns 404 if the link was turned off or has expired.',
  request: { params },
  responses: { 200: jsonResponse('The public link.', publicLink) },
  errors: {
    404: {
      description: 'The project or report was not found, or the report has no active public link.',
      message: 'Public link not found: this report has no active link.',
    },
  },
});

export const putPublicLink = operation({
  ...common,
  operationId: 'putPublicLink',
  permission: 'reports.publish',
  method: 'put',
  summary: 'Create a public link or change its expiry',
  description:
    'expiresOn is a day after today and at most 90 days ahead, in UTC. The link expires when that day begins. Changing the expiry of an active link keeps its token; a link that was turned off or has expired gets a new token.',
  request: { params, body: jsonBody(publicLinkDefinition, { expiresOn: '2026-04-01' }) },
  responses: { 200: jsonResponse('The public link.', publicLink) },
});

export const deletePublicLink = operation({
  ...common,
  operationId: 'deletePublicLink',
  permission: 'reports.publish',
  method: 'delete',
  summary: 'Delete the public link of a report',
  description: 'The URL of the link returns 404 immediately.',
  request: { params },
  responses: { 204: deleted },
});

export const getSharedReport = operation({
  service: 'collaboration',
  host: 'api',
  credential: 'public',
  errorShape: 'B',
  tag: 'Public links',
  operationId: 'getSharedReport',
  method: 'get',
  path: '/v1/shared-reports/{token}',
  summary: 'Read a shared report by its public link',
  description:
    'Returns the last run of the report without its cohort: properties named cohort, cohorts, cohortId or cohortIds are removed at any depth. report is null before the first run. Links that are deleted, expired, unknown or malformed all get the same 404. Limits: 60 reads per minute and link, 30 per minute and IP address.',
  // Any string is valid: a malformed token gets the same 404 as an unknown one.
  request: {
    params: z.object({
      token: z.string().openapi({ example: 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c' }),
    }),
  },
  responses: {
    200: {
      ...jsonResponse('The last run of the report.', z.object({ report: anyJson }), {
        report: { rows: [{ day: '2026-03-01', signUps: 42 }] },
      }),
      headers: z.object({
        'Cache-Control': z.string().openapi({ example: 'no-store' }),
        'X-Robots-Tag': z.string().openapi({ example: 'noindex' }),
        'Referrer-Policy': z.string().openapi({ example: 'no-referrer' }),
      }),
    },
    304: notModified,
  },
  errors: {
    404: 'Link not found: it is off, has expired or never existed.',
    429: {
      description: 'Too many requests. Retry after the time in Retry-After.',
      message: 'Too many requests (reads of a link). Retry after the time in Retry-After.',
    },
  },
});
