import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { anyJson, day, id, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { consoleFacts, reportParams } from './facts.ts';

export const publicLink = z
  .object({
    reportId: id,
    token: z.string(),
    url: z.string().openapi({ description: "The link's address." }),
    createdAt: timestamp,
    expiresAt: timestamp.openapi({ description: 'The start of expiresOn, UTC.' }),
    expiresOn: day,
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

const facts = {
  ...consoleFacts,
  tag: 'Public links',
  path: '/v1/projects/{projectId}/reports/{reportId}/public-link',
} as const;
const params = z.object(reportParams);

export const getPublicLink = operation({
  ...facts,
  operationId: 'getPublicLink',
  method: 'get',
  summary: "A report's public link",
  description:
    'With its whole address. A link that was turned off or has stopped is 404. Any member of the company may.',
  request: { params },
  responses: { 200: jsonAnswer('The link that is on.', publicLink) },
  errors: { 404: 'No such project or report, or no link is on.' },
});

export const putPublicLink = operation({
  ...facts,
  operationId: 'putPublicLink',
  method: 'put',
  summary: 'Turn the public link on, or move its stop day',
  description:
    'expiresOn is after today and at most 90 days ahead, counted in UTC days; the link stops as that day begins. Moving the stop day keeps the token; a link that was turned off or has stopped gets a new one. Any member of the company may.',
  request: { params, body: jsonBody(publicLinkDefinition, { expiresOn: '2026-04-01' }) },
  responses: { 200: jsonAnswer('The link.', publicLink) },
});

export const deletePublicLink = operation({
  ...facts,
  operationId: 'deletePublicLink',
  method: 'delete',
  summary: 'Turn the public link off',
  description: 'The address answers 404 at once. Also 204 when no link is on.',
  request: { params },
  responses: { 204: { description: 'No link is on (any more).' } },
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
  summary: 'A report as last run, by its public link',
  description:
    'The report without its cohort: the cohort of the run is never read for a link, and any property named cohort, cohorts, cohortId or cohortIds is dropped at any depth. report is null before the first run. Links that are off, stopped, unknown or malformed are one and the same 404. 60 reads a minute a link and 30 a minute an address.',
  // Any text is taken: a token that cannot be one is answered like one that is unknown.
  request: {
    params: z.object({
      token: z.string().openapi({ example: 'q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c' }),
    }),
  },
  responses: {
    200: {
      ...jsonAnswer('The report as last run.', z.object({ report: anyJson }), {
        report: { rows: [{ day: '2026-03-01', signUps: 42 }] },
      }),
      headers: z.object({
        'Cache-Control': z.string().openapi({ example: 'no-store' }),
        'X-Robots-Tag': z.string().openapi({ example: 'noindex' }),
        'Referrer-Policy': z.string().openapi({ example: 'no-referrer' }),
      }),
    },
  },
  errors: {
    404: 'The link is off, has stopped or never existed.',
    429: 'Too many reads of this link or from this address; Retry-After says when to come back.',
  },
});
