import { z } from '@hono/zod-openapi';
import { jsonAnswer } from '../bodies.ts';
import { id, text, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { deleted, managementOf, projectParams } from './facts.ts';

const count = z.int().min(0);

/** A recorded session as far as it is archived. */
export const replay = z
  .object({
    sessionId: id,
    distinctIds: z.array(id).openapi({ description: 'Whom it shows, up to 100.' }),
    receivedAt: timestamp.openapi({ description: 'When the chunk archived first was accepted.' }),
    firstAt: timestamp.openapi({ description: 'The earliest event, by the clock of who recorded.' }),
    lastAt: timestamp.openapi({ description: 'The latest event.' }),
    chunks: count.openapi({ description: 'Different chunks.' }),
    events: count,
    bytes: count.openapi({ description: 'Of the chunks as JSON.' }),
    storedBytes: count.openapi({ description: 'Of the objects.' }),
    masked: z.boolean().openapi({ description: 'Whether every chunk says so.' }),
    missing: count.openapi({ description: 'Seqs from 0 to the highest that are not there.' }),
    duplicates: count.openapi({ description: 'How often a chunk was sent again.' }),
    conflicts: count.openapi({ description: 'Chunks under a seq that another chunk has too; all are kept.' }),
    complete: z.boolean().openapi({ description: 'Nothing is missing.' }),
  })
  .openapi('Replay');
export type Replay = z.infer<typeof replay>;

const span = z.object({ from: count, to: count });

export const replayManifest = replay
  .extend({
    seqs: z.array(span).openapi({ description: 'The seqs that are there, both ends included; up to 1,000.' }),
    gaps: z.array(span).openapi({ description: 'What is missing before and between them.' }),
  })
  .openapi('ReplayManifest');
export type ReplayManifest = z.infer<typeof replayManifest>;

const facts = managementOf('ingestion');
const replaysPath = '/management/v1/projects/{projectId}/replays';
const replayPath = '/management/v1/projects/{projectId}/replays/{sessionId}';
const replayParams = z.object({ ...projectParams, sessionId: id });
const noReplay = { 404: 'No such project, or no recording of the session.' };

export const listReplays = operation({
  ...facts,
  operationId: 'listReplays',
  method: 'get',
  path: replaysPath,
  summary: 'Recorded sessions of a project, newest first',
  description:
    '50 a page. cursor is the nextCursor of the page before; null on the last. distinct_id: those that show this person.',
  request: {
    params: z.object(projectParams),
    query: z.object({ distinct_id: id.optional(), cursor: text({ max: 1500 }).optional() }),
  },
  responses: {
    200: jsonAnswer(
      'A page of sessions.',
      z.object({ replays: z.array(replay), nextCursor: z.string().nullable() }),
    ),
  },
  errors: { 404: 'No such project.' },
});

export const getReplay = operation({
  ...facts,
  operationId: 'getReplay',
  method: 'get',
  path: replayPath,
  summary: 'What of a recorded session is there and what is missing',
  request: { params: replayParams },
  responses: { 200: jsonAnswer('The manifest.', replayManifest) },
  errors: noReplay,
});

/** Its bytes are answered as they come, not as a value: the type does not say that they are JSON. */
const streamed: Record<string, { schema: z.ZodType }> = {
  'application/json': { schema: z.array(z.unknown()) },
};

export const readReplayEvents = operation({
  ...facts,
  operationId: 'readReplayEvents',
  method: 'get',
  path: '/management/v1/projects/{projectId}/replays/{sessionId}/events',
  summary: 'The events of a recorded session, as a player takes them',
  description:
    'One JSON array in the order of seq, streamed. An answer that ends before the array does has failed; ask again.',
  request: { params: replayParams },
  responses: { 200: { description: 'The events.', content: streamed } },
  errors: {
    ...noReplay,
    502: 'REPLAY_OBJECT_MISSING: an object of the recording is no longer in the object store.',
    503: 'The object store is away or not configured, or another dependency is away.',
  },
});

export const deleteReplay = operation({
  ...facts,
  operationId: 'deleteReplay',
  method: 'delete',
  path: replayPath,
  summary: 'Delete a recorded session',
  description: 'Rows and objects. What of the session comes later stays out.',
  request: { params: replayParams },
  responses: { 204: deleted },
  errors: {
    404: 'No such project.',
    503: 'The objects could not be deleted now: the session is gone from the lists, and they are deleted later.',
  },
});
