import { z } from '@hono/zod-openapi';
import { id, int64, text, timestamp } from '../fields/fields.ts';
import { ingestionTopics } from '../ingestion/records.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { managementOf } from './common.ts';

const MAX_SELECTED = 500;
const MAX_REASON = 200;
const count = z.int().min(0);

export const deadLetterTopic = z.enum(ingestionTopics);

/** The most characters of a record that `getDeadLetter` returns. */
export const DEAD_LETTER_SHOWN = 65_536;

const letterPlace = z.object({ partition: count.max(999_999), offset: int64 });

/** A record that a consumer could not read or store, without its value. */
export const deadLetter = letterPlace
  .extend({
    topic: deadLetterTopic,
    deadLetteredAt: timestamp,
    reason: z.string(),
    projectId: z.string().nullable(),
    requestId: z.string().nullable().openapi({ description: 'The request that sent it, if it was one.' }),
    bytes: count,
    replays: count.openapi({ description: 'How often it was replayed.' }),
    replayedAt: timestamp.nullable(),
  })
  .openapi('DeadLetter', {
    example: {
      topic: 'events',
      partition: 3,
      offset: 17,
      deadLetteredAt: '2026-03-01T09:30:00.120Z',
      reason: 'line 2: event_name: missing',
      projectId: 'acme-shop',
      requestId: 'req_018f4c1e',
      bytes: 412,
      replays: 0,
      replayedAt: null,
    },
  });
export type DeadLetter = z.infer<typeof deadLetter>;

export const deadLetterDetails = deadLetter
  .extend({
    key: z.string().nullable(),
    headers: z.record(z.string(), z.string()).openapi({
      description: 'The headers of the record, up to 50 with 200 characters each.',
    }),
    value: z
      .string()
      .nullable()
      .openapi({
        description: `The record as text, up to ${DEAD_LETTER_SHOWN} characters.`,
      }),
    isCut: z.boolean().openapi({ description: 'Whether the record is longer than `value`.' }),
  })
  .openapi('DeadLetterDetails');
export type DeadLetterDetails = z.infer<typeof deadLetterDetails>;

const filters = {
  projectId: id.optional(),
  reason: text({ min: 1, max: MAX_REASON }).optional().openapi({ description: 'A part of the reason.' }),
};

export const deadLetterReplay = z
  .object({
    topic: deadLetterTopic,
    letters: z
      .array(letterPlace)
      .min(1)
      .max(MAX_SELECTED)
      .optional()
      .openapi({ description: 'The letters to replay, instead of a filter.' }),
    ...filters,
    through: int64.optional().openapi({
      description: 'The `through` of the answer before. Leaves out letters that have come since.',
    }),
    again: z
      .boolean()
      .default(false)
      .openapi({ description: 'Whether to replay `letters` that were replayed before.' }),
  })
  .refine(
    ({ letters, projectId, reason, through }) =>
      letters === undefined || (projectId ?? reason ?? through) === undefined,
    {
      path: ['letters'],
      message: 'not together with projectId, reason or through',
    },
  )
  .refine(({ letters, again }) => letters !== undefined || !again, {
    path: ['again'],
    message: 'only with letters',
  })
  .openapi('DeadLetterReplay');
export type DeadLetterReplay = z.output<typeof deadLetterReplay>;

export const deadLetterReplayed = z
  .object({
    replayed: count,
    skipped: count.openapi({ description: 'Selected letters that were replayed before, or are not known.' }),
    gone: count.openapi({ description: 'Letters that the event log no longer has.' }),
    remaining: count.openapi({ description: 'Letters that are still to replay. Above 0, call again.' }),
    through: int64.openapi({ description: 'Send it with the next call.' }),
  })
  .openapi('DeadLetterReplayed', {
    example: { replayed: 5000, skipped: 0, gone: 0, remaining: 1204, through: 6204 },
  });
export type DeadLetterReplayed = z.infer<typeof deadLetterReplayed>;

/** A whole number of up to `digits` digits in a path. */
const inPath = (digits: number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`), 'not a whole number')
    .transform(Number)
    .openapi({ type: 'integer', example: 17 });
const page = paging(200);
const PATH = '/management/v1/dead-letters';

export const listDeadLetters = operation({
  ...managementOf('archive'),
  operationId: 'listDeadLetters',
  permission: 'deadLetters.list',
  method: 'get',
  path: PATH,
  summary: 'List the dead letters of the last 30 days',
  description: `Newest first, without their contents. A reason reads 5,000 letters for a page at most, so a page may have fewer entries and still a nextCursor. ${page.description}`,
  request: {
    query: z.object({
      topic: deadLetterTopic.optional(),
      state: z.enum(['waiting', 'replayed']).optional(),
      ...filters,
      ...page.query,
    }),
  },
  responses: {
    200: jsonResponse(
      'A page of dead letters.',
      z.object({ deadLetters: z.array(deadLetter), ...page.answer }),
    ),
  },
});

export const getDeadLetter = operation({
  ...managementOf('archive'),
  operationId: 'getDeadLetter',
  permission: 'deadLetters.read',
  method: 'get',
  path: `${PATH}/{topic}/{partition}/{offset}`,
  summary: 'Read a dead letter',
  description: 'Returns what a person or their page sent, so every call is in the audit trail.',
  request: {
    params: z.object({
      topic: deadLetterTopic,
      partition: inPath(6),
      offset: inPath(15),
    }),
  },
  responses: { 200: jsonResponse('The dead letter.', deadLetterDetails) },
  errors: { 404: 'No such dead letter, or the event log no longer has it.' },
});

export const replayDeadLetters = operation({
  ...managementOf('archive'),
  operationId: 'replayDeadLetters',
  permission: 'deadLetters.replay',
  method: 'post',
  path: `${PATH}/replays`,
  summary: 'Replay dead letters',
  description:
    'Publishes records to their topic again, oldest first, with their key and headers. A filter takes letters that were never replayed; a call replays up to 5,000 of them, or 16 MiB. Repeat it with `through` until `remaining` is 0. The archive drops events that it has.',
  request: {
    body: jsonBody(deadLetterReplay, { topic: 'events', projectId: 'acme-shop' }),
  },
  responses: { 200: jsonResponse('The result.', deadLetterReplayed) },
});
