import { z } from '@hono/zod-openapi';
import { anyJson, id, text, timestamp } from '../fields/fields.ts';
import { deleted, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { managementOf, projectParams } from './common.ts';

const count = z.int().min(0);

/** The archived part of a recorded session. */
export const replay = z
  .object({
    sessionId: id,
    distinctIds: z.array(id).openapi({ description: 'The people in the recording, up to 100.' }),
    receivedAt: timestamp.openapi({ description: 'When its first archived chunk was accepted.' }),
    firstAt: timestamp.openapi({
      description:
        "The earliest event, corrected like `occurred_at` of events if the recorder's clock is wrong.",
    }),
    lastAt: timestamp.openapi({
      description: 'The latest event, corrected the same way. The events themselves stay as sent.',
    }),
    chunks: count.openapi({ description: 'Distinct chunks.' }),
    events: count,
    bytes: count.openapi({ description: 'Size of the chunks as JSON.' }),
    storedBytes: count.openapi({ description: 'Size of the objects.' }),
    masked: z.boolean().openapi({ description: 'Whether every chunk is masked.' }),
    missing: count.openapi({ description: 'The number of missing seqs below the highest.' }),
    duplicates: count.openapi({ description: 'Copies of chunks that were dropped.' }),
    conflicts: count.openapi({
      description: 'The number of chunks that share their seq with another chunk; all are kept.',
    }),
    complete: z.boolean().openapi({ description: 'Whether no seq is missing.' }),
    pages: z.array(z.string()).openapi({
      description: 'The addresses of the recorded pages without query and fragment, up to 50.',
    }),
    eventNames: z.array(z.string()).openapi({
      description: 'The names of the events that the browser SDK sent while it recorded, up to 100.',
    }),
    errors: count.openapi({ description: 'The number of errors in the recorded console.' }),
  })
  .openapi('Replay');
export type Replay = z.infer<typeof replay>;

const span = z.object({ from: count, to: count });

export const replayManifest = replay
  .extend({
    seqs: z.array(span).openapi({ description: 'The archived seqs, both ends included; up to 1,000 spans.' }),
    gaps: z.array(span).openapi({ description: 'The seqs missing before and between the spans.' }),
  })
  .openapi('ReplayManifest');
export type ReplayManifest = z.infer<typeof replayManifest>;

const common = managementOf('archive');
const page = paging(50);
const chunksPage = paging(200);
const seconds = z.coerce.number().int().min(0).max(604_800).optional();
const REPLAYS_PATH = '/management/v1/projects/{projectId}/replays';
const REPLAY_PATH = '/management/v1/projects/{projectId}/replays/{sessionId}';
const replayParams = z.object({ ...projectParams, sessionId: id });
const noReplay = { 404: { description: 'Project or recording not found.', message: 'Recording not found.' } };

export const listReplays = operation({
  ...common,
  operationId: 'listReplays',
  permission: 'replays.read',
  method: 'get',
  path: REPLAYS_PATH,
  summary: 'List the recorded sessions of a project',
  description: `Newest first. distinct_id selects the sessions of a person, with any of its ids. The other filters read 5,000 sessions for a page at most, so a page may have fewer entries and still a nextCursor. ${page.description}`,
  request: {
    params: z.object(projectParams),
    query: z.object({
      distinct_id: id.optional(),
      event: text({ min: 1, max: 200 }).optional().openapi({
        description: 'The name of an event in `eventNames`.',
        example: 'order placed',
      }),
      page: text({ min: 1, max: 500 }).optional().openapi({
        description: 'A part of an address in `pages`.',
        example: '/checkout',
      }),
      min_seconds: seconds.openapi({ description: 'The least time from the first to the last event.' }),
      max_seconds: seconds.openapi({ description: 'The most time from the first to the last event.' }),
      errors: z
        .stringbool({ truthy: ['true'], falsy: ['false'] })
        .optional()
        .openapi({ type: 'boolean', description: 'Whether `errors` is above 0.', example: true }),
      ...page.query,
    }),
  },
  responses: {
    200: jsonResponse('A page of sessions.', z.object({ replays: z.array(replay), ...page.answer })),
  },
  errors: { 404: 'Project not found.' },
});

export const getReplay = operation({
  ...common,
  operationId: 'getReplay',
  permission: 'replays.read',
  method: 'get',
  path: REPLAY_PATH,
  summary: 'Get the manifest of a recorded session',
  request: { params: replayParams },
  responses: { 200: jsonResponse('The manifest.', replayManifest) },
  errors: noReplay,
});

/** The handlers return streams, so the response types must not be those of JSON values. */
const streamed = (schema: z.ZodType): Record<string, { schema: z.ZodType }> => ({
  'application/json': { schema },
});

export const readReplayEvents = operation({
  ...common,
  operationId: 'readReplayEvents',
  permission: 'replays.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/replays/{sessionId}/events',
  summary: 'Read the events of a recorded session',
  description:
    'One JSON array in the order of seq, streamed, in the format of rrweb players. If the body ends before the array does, reading failed; retry.',
  request: { params: replayParams },
  responses: { 200: { description: 'The events.', content: streamed(z.array(z.unknown())) } },
  errors: {
    ...noReplay,
    502: {
      description: 'REPLAY_OBJECT_MISSING: An object of the recording is missing in the object store.',
      message: {
        REPLAY_OBJECT_MISSING:
          'The object of chunk 3 is missing in the object store: replays/acme-shop/session-1/0000000000000003-9f86d081884c7d65',
      },
    },
    503: {
      description: 'The object store or another dependency is unavailable.',
      message: 'Object store unavailable. Retry after the time in Retry-After.',
    },
  },
});

/** A chunk of a recording. */
export const replayPart = z
  .object({
    seq: count,
    missing: count.openapi({
      description: 'The number of missing seqs between the chunk before and this one.',
    }),
    events: z
      .array(anyJson)
      .nullable()
      .openapi({ description: 'null: the object of the chunk is missing in the object store.' }),
  })
  .openapi('ReplayPart');

export const readReplayChunks = operation({
  ...common,
  operationId: 'readReplayChunks',
  permission: 'replays.read',
  method: 'get',
  path: `${REPLAY_PATH}/chunks`,
  summary: 'Read the chunks of a recorded session',
  description: `In playing order, with the events as rrweb players take them. A page ends after the chunk that brings it to 2 MB. If the body ends early, reading failed; retry. ${chunksPage.description}`,
  request: { params: replayParams, query: z.object(chunksPage.query) },
  responses: {
    200: {
      description: 'A page of chunks.',
      content: streamed(z.object({ chunks: z.array(replayPart), ...chunksPage.answer })),
    },
  },
  errors: {
    ...noReplay,
    503: {
      description: 'The object store or another dependency is unavailable.',
      message: 'Object store unavailable. Retry after the time in Retry-After.',
    },
  },
});

export const deleteReplay = operation({
  ...common,
  operationId: 'deleteReplay',
  permission: 'replays.delete',
  method: 'delete',
  path: REPLAY_PATH,
  summary: 'Delete a recorded session',
  description: 'Deletes its rows and objects. Chunks that arrive later are dropped.',
  request: { params: replayParams },
  responses: { 204: deleted },
  errors: {
    404: 'Project not found.',
    503: 'The recording is deleted, but the object store is unavailable. Its objects are erased later.',
  },
});
