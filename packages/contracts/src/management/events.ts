import { z } from '@hono/zod-openapi';
import { id, int64, timestamp } from '../fields/fields.ts';
import { jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { managementOf, projectParams } from './common.ts';

const place = z
  .object({
    topic: z.literal('events'),
    partition: z.int(),
    offset: int64,
    line: z.int().openapi({ description: 'Line of the record, counted from 0; -1 is the whole record.' }),
    at: timestamp,
  })
  .openapi('EventPlace');

/** The archive's information about one event. */
export const eventLookupResult = z
  .object({
    eventId: id,
    state: z.enum(['accepted', 'archived', 'dead_letter', 'not_seen']),
    accepted: place.nullable().openapi({
      description: 'Position in the log and time of acceptance, once the archive has read the event.',
    }),
    archived: z
      .object({
        file: z.string().openapi({ description: "The object's key, or the path below OBJECTS_FOLDER." }),
        row: z.int().nullable().openapi({
          description: 'The row in the file, counted from 0; null if the file was removed.',
        }),
      })
      .nullable(),
    duplicates: z.array(place).openapi({
      description: 'Positions of further copies, which were dropped; the first 100.',
    }),
    deadLetters: z.array(place.extend({ reason: z.string() })).openapi({
      description:
        'Positions of lines with this event_id that could not be decoded, with the reason; the first 100.',
    }),
    unread: z
      .object({
        records: z.int().openapi({ description: 'Records in the log that the archive has not read yet.' }),
        since: timestamp.nullable().openapi({
          description:
            'When the last event that the archive has read was accepted, on the partition furthest behind.',
        }),
      })
      .nullable()
      .openapi({
        description:
          'Set for not_seen: the event may be among these records. With 0 records, the event is not in the log.',
      }),
  })
  .openapi('EventLookupResult');
export type EventLookupResult = z.infer<typeof eventLookupResult>;

const example: EventLookupResult = {
  eventId: '018f4c1e',
  state: 'archived',
  accepted: { topic: 'events', partition: 3, offset: 1204, line: 7, at: '2026-03-01T09:30:00.120Z' },
  archived: {
    file: 'events/2026-03-01/events-3-0000000000001180-1772357399871.parquet',
    row: 2210,
  },
  duplicates: [{ topic: 'events', partition: 3, offset: 1207, line: 0, at: '2026-03-01T09:30:04.310Z' }],
  deadLetters: [],
  unread: null,
};

export const findEvent = operation({
  ...managementOf('archive'),
  operationId: 'findEvent',
  permission: 'events.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/events/{eventId}',
  summary: 'Look up the status of an event',
  description:
    'Looks up an event of the last seven days: its file and row in the archive, its position in the log, and whether copies were dropped as duplicates or could not be decoded.',
  request: { params: z.object({ ...projectParams, eventId: id }) },
  responses: {
    200: jsonResponse('The status of the event, including not_seen.', eventLookupResult, example),
  },
  errors: { 404: 'Project not found.' },
});
