import { z } from '@hono/zod-openapi';
import { jsonAnswer } from '../bodies.ts';
import { id, int64, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { managementOf, projectParams } from './facts.ts';

const place = z
  .object({
    topic: z.literal('events'),
    partition: z.int(),
    offset: int64,
    line: z.int().openapi({ description: 'Of the record, counted from 0; -1 is the whole record.' }),
    at: timestamp,
  })
  .openapi('EventPlace');

/** What is known of one event. */
export const eventWhereabouts = z
  .object({
    eventId: id,
    state: z.enum(['accepted', 'archived', 'dead_letter', 'not_seen']),
    accepted: place.nullable().openapi({
      description: 'Where the log has it and when it was accepted, once the archive has read it there.',
    }),
    archived: z
      .object({
        file: z
          .string()
          .openapi({ description: 'The object’s key, or the path below the folder of objects.' }),
        row: z.int().nullable().openapi({
          description: 'Counted from 0 in the file; null: the file is not there any more.',
        }),
      })
      .nullable(),
    duplicates: z.array(place).openapi({
      description: 'Where the same event came again and was dropped; the first 100.',
    }),
    deadLetters: z.array(place.extend({ reason: z.string() })).openapi({
      description: 'Where a line with this event_id could not be read, and why; the first 100.',
    }),
    unread: z
      .object({
        records: z.int().openapi({ description: 'Records in the log that the archive has not read yet.' }),
        since: timestamp.nullable().openapi({
          description:
            'When the last events were accepted that it has read, on the partition furthest behind.',
        }),
      })
      .nullable()
      .openapi({
        description: 'For not_seen: the event may be among these. 0 records: it is not in the log.',
      }),
  })
  .openapi('EventWhereabouts');
export type EventWhereabouts = z.infer<typeof eventWhereabouts>;

const example: EventWhereabouts = {
  eventId: '018f4c1e',
  state: 'archived',
  accepted: { topic: 'events', partition: 3, offset: 1204, line: 7, at: '2026-03-01T09:30:00.120Z' },
  archived: {
    file: 'events/prj_shop/2026-03-01/events-3-0000000000001180-1772357399871.parquet',
    row: 2210,
  },
  duplicates: [{ topic: 'events', partition: 3, offset: 1207, line: 0, at: '2026-03-01T09:30:04.310Z' }],
  deadLetters: [],
  unread: null,
};

export const findEvent = operation({
  ...managementOf('ingestion'),
  operationId: 'findEvent',
  method: 'get',
  path: '/management/v1/projects/{projectId}/events/{eventId}',
  summary: 'Where is my event?',
  description:
    'What became of an event that was sent within the last seven days: in which file of the archive it is, or where in the log, dropped as a duplicate, not readable, or not seen.',
  request: { params: z.object({ ...projectParams, eventId: id }) },
  responses: { 200: jsonAnswer('What is known of it; also when nothing is.', eventWhereabouts, example) },
  errors: { 404: 'No such project.' },
});
