import { z } from '@hono/zod-openapi';
import { id, name, timestamp } from '../fields/fields.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { managementOf, projectParams } from './common.ts';

/** Maximum size of a part of an import, as sent and decompressed, in bytes. */
export const IMPORT_PART_MAX_BYTES = 4 * 1024 * 1024;
/** Maximum number of events in a part of an import. */
export const IMPORT_PART_MAX_EVENTS = 10_000;
/** Maximum number of parts of an import. */
export const IMPORT_MAX_PARTS = 100_000;
/** Maximum number of imports of a project. */
export const IMPORTS_MAX_COUNT = 100_000;

const count = z.int().min(0);

/** The products and formats that events are imported from. */
export const importSource = z.enum(['amplitude', 'csv', 'mixpanel', 'posthog', 'segment']);
export type ImportSource = z.infer<typeof importSource>;

const fields = {
  source: importSource,
  name: name(200).openapi({ description: 'The name of the file.', example: 'export-2025.jsonl.gz' }),
  totalParts: z.int().min(1).max(IMPORT_MAX_PARTS).nullable().openapi({
    description: 'The number of parts of the whole file; null while it is unknown.',
  }),
};

/** An import of the events of one file. */
export const eventImport = z
  .object({
    id,
    ...fields,
    parts: count.openapi({ description: 'The number of imported parts.' }),
    nextPart: count.openapi({ description: 'The first part that is not imported yet.' }),
    events: count.openapi({ description: 'The number of imported events.' }),
    startedAt: timestamp,
    updatedAt: timestamp.openapi({ description: 'When the import began, or its last part was imported.' }),
  })
  .openapi('EventImport');
export type EventImport = z.infer<typeof eventImport>;

const example: EventImport = {
  id: '3f1c8a5e',
  source: 'posthog',
  name: 'export-2025.jsonl.gz',
  totalParts: null,
  parts: 12,
  nextPart: 12,
  events: 120_000,
  startedAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:31:10.250Z',
};

const importId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'not 1 to 64 of A-Z a-z 0-9 _ -')
  .openapi({ description: 'Chosen by the client: the same for the same file.', example: '3f1c8a5e' });

const common = managementOf('archive');
const page = paging(100);
const IMPORTS_PATH = '/management/v1/projects/{projectId}/imports';
const IMPORT_PATH = '/management/v1/projects/{projectId}/imports/{importId}';
const importParams = z.object({ ...projectParams, importId });
const noImport = { 404: { description: 'Project or import not found.', message: 'Import not found.' } };

export const putImport = operation({
  ...common,
  operationId: 'putImport',
  permission: 'imports.write',
  method: 'put',
  path: IMPORT_PATH,
  summary: 'Begin or resume an import of events',
  description: `Returns how far an existing import is. A project has up to ${IMPORTS_MAX_COUNT} imports.`,
  request: {
    params: importParams,
    body: jsonBody(z.object(fields), { source: 'posthog', name: 'export-2025.jsonl.gz', totalParts: null }),
  },
  responses: { 200: jsonResponse('The import.', eventImport, example) },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'The import exists with another source, or the project has too many imports.',
      message: 'The import exists with source mixpanel.',
    },
  },
});

export const getImport = operation({
  ...common,
  operationId: 'getImport',
  permission: 'imports.read',
  method: 'get',
  path: IMPORT_PATH,
  summary: 'Get the progress of an import',
  request: { params: importParams },
  responses: { 200: jsonResponse('The import.', eventImport, example) },
  errors: noImport,
});

export const listImports = operation({
  ...common,
  operationId: 'listImports',
  permission: 'imports.read',
  method: 'get',
  path: IMPORTS_PATH,
  summary: 'List the imports of a project',
  description: `Newest first. ${page.description}`,
  request: { params: z.object(projectParams), query: z.object(page.query) },
  responses: {
    200: jsonResponse('A page of imports.', z.object({ imports: z.array(eventImport), ...page.answer })),
  },
  errors: { 404: 'Project not found.' },
});

export const putImportPart = operation({
  ...common,
  operationId: 'putImportPart',
  permission: 'imports.write',
  method: 'put',
  path: '/management/v1/projects/{projectId}/imports/{importId}/parts/{part}',
  summary: 'Import a part of a file',
  description: `Send 1 to ${IMPORT_PART_MAX_EVENTS} events, one JSON object per line, each with the fields and limits of an event of POST /v1/events; ${IMPORT_PART_MAX_BYTES} bytes in total. One invalid event rejects the part. An event_id that occurs twice in a part is stored once. A part is imported once: sending it again returns the first result. Imported events are archived, but not sent to webhooks.`,
  maxBodyBytes: IMPORT_PART_MAX_BYTES,
  request: {
    params: importParams.extend({
      part: z
        .string()
        .regex(/^\d{1,5}$/, 'not a number from 0 to 99999')
        .transform(Number)
        .openapi({ type: 'integer', description: 'The number of the part, from 0.', example: 0 }),
    }),
    query: z.object({
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in hex')
        .openapi({
          description: 'The SHA-256 of the part, before compression.',
          example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        }),
    }),
    body: {
      required: true,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    },
  },
  responses: {
    200: jsonResponse(
      'The part is imported.',
      z.object({
        events: count.openapi({ description: 'The number of events of the part that are stored.' }),
        isNew: z.boolean().openapi({ description: 'Whether this request imported them.' }),
      }),
      { events: 10_000, isNew: true },
    ),
  },
  errors: {
    ...noImport,
    409: {
      description: 'The part was imported with another content.',
      message: 'Part 3 was imported with another content.',
    },
  },
});
