import { z } from '@hono/zod-openapi';
import { id } from '../fields/fields.ts';
import { projectId } from '../fields/ids.ts';
import { operation } from '../operation/operation.ts';
import { turn } from './conversations.ts';
import { conversationNote } from './support.ts';

/** The messages of the stream of conversations. */
export const liveConversations = z
  .object({
    type: z.literal('changes'),
    changes: z.array(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('turn'), conversationId: id, turn }),
        z.object({ kind: z.literal('note'), conversationId: id, note: conversationNote }),
        z.object({ kind: z.literal('changed'), conversationId: id }),
        z.object({
          kind: z.literal('presence'),
          conversationId: id,
          sub: z.string().nullable().openapi({ description: 'null for the visitor.' }),
          name: z.string().nullable(),
          state: z.enum(['viewing', 'typing', 'gone', 'read']),
        }),
        z.object({ kind: z.literal('settings') }),
      ]),
    ),
  })
  .openapi({ description: 'Changes in the conversations of the project, up to 20 times a second.' });
export type LiveConversations = z.infer<typeof liveConversations>;
export type LiveConversationChange = LiveConversations['changes'][number];

export const liveConversationsReady = z
  .object({ type: z.literal('ready') })
  .openapi({ description: 'Sent once. Read the conversations now: earlier changes are not sent.' });

export const streamConversations = operation({
  service: 'messenger',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'Console',
  operationId: 'streamConversations',
  permission: 'conversations.read',
  method: 'get',
  path: '/v1/projects/{projectId}/live-conversations',
  summary: 'Stream what happens in conversations',
  description:
    'Server-sent events for agents. The data of each is a message of type ready or changes; an event named beat comes every 30 s. The stream ends after at most 50 minutes, and when the caller loses the permission.',
  request: { params: z.object({ projectId }) },
  responses: {
    200: {
      description: 'Messages until the client or the server closes the stream.',
      content: { 'text/event-stream': { schema: z.string() } },
    },
  },
  errors: {
    429: 'Too many streams of the address, the person or the project. Retry after the time in Retry-After.',
  },
});
