import { z } from '@hono/zod-openapi';
import { id, text } from '../fields/fields.ts';
import { projectId } from '../fields/ids.ts';
import { operation } from '../operation/operation.ts';
import { storedEvent } from './operations.ts';

export const liveReady = z.object({ type: z.literal('ready') }).openapi({
  description: 'Sent once, before any events.',
});

export const liveEvents = z
  .object({
    type: z.literal('events'),
    events: z.array(
      storedEvent.extend({
        omitted: z.boolean().openapi({
          description: 'Whether properties and context are null because they exceed 16 kB.',
        }),
      }),
    ),
    skipped: z.int().openapi({
      description: 'Accepted events that were left out because more arrived than the stream sends.',
    }),
  })
  .openapi({ description: 'Events that were accepted. Sent twice a second, up to 25 events each time.' });

export const liveArchived = z.object({ type: z.literal('archived'), eventIds: z.array(id) }).openapi({
  description:
    'Events that were sent as accepted, which the archive has read since. Look up the status of an event that stays out.',
});

export const liveErased = z.object({ type: z.literal('erased'), distinctIds: z.array(id) }).openapi({
  description: 'A person is being erased. Remove the events of these ids that were sent.',
});

export const liveEventsMessage = z.discriminatedUnion('type', [
  liveReady,
  liveEvents,
  liveArchived,
  liveErased,
]);
export type LiveEventsMessage = z.infer<typeof liveEventsMessage>;

export const streamEvents = operation({
  service: 'analytics',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'Insights',
  operationId: 'streamEvents',
  permission: 'events.read',
  method: 'get',
  path: '/v1/projects/{projectId}/live-events',
  summary: 'Stream events as they are accepted',
  description:
    'Server-sent events, first of the latest events that are not archived yet. The data of each is a message of type ready, events, archived or erased; an event named beat comes every 30 s. The stream ends after at most 50 minutes, and when the caller loses the permission.',
  request: {
    params: z.object({ projectId }),
    query: z.object({
      name: text({ min: 1, max: 200 }).optional().openapi({ example: 'order placed' }),
      distinct_id: id.optional().openapi({
        example: 'user-1',
        description: 'Any id of a person. Selects the events of the ids that the person has at the start.',
      }),
    }),
  },
  responses: {
    200: {
      description: 'Events until the client or the server closes the stream.',
      content: { 'text/event-stream': { schema: z.string() } },
    },
  },
  errors: {
    429: 'Too many streams of the address, the person or the project. Retry after the time in Retry-After.',
    503: 'The event log is unavailable. Retry after the time in Retry-After.',
  },
});
