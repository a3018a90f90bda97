import { z } from '@hono/zod-openapi';
import { combination, didConditions } from '../cohorts.ts';
import { anchorRequest } from '../collaboration/comments.ts';
import { id, text, timestamp } from '../fields/fields.ts';
import { projectId } from '../fields/ids.ts';
import { clause } from '../flags.ts';
import { jsonBody, jsonResponse, notModified } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { conditionsFault } from './conditions.ts';
import { insightQuery } from './query.ts';

const common = {
  service: 'analytics',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'People',
} as const;

const PATH = '/v1/projects/{projectId}';
const page = paging(100);

/** A person in a list. */
export const listedPerson = z
  .object({
    distinctId: id,
    ids: z.array(id).openapi({ description: 'Every id of the person, distinctId first.' }),
    traits: z.record(z.string(), z.unknown()),
    firstSeenAt: timestamp.nullable().openapi({
      description: 'The minute of the earliest event or call of the person. null: not known yet.',
    }),
    lastSeenAt: timestamp.nullable().openapi({ description: 'The minute of the latest one.' }),
  })
  .openapi('ListedPerson');
export type ListedPerson = z.infer<typeof listedPerson>;

/** An example for the API reference. */
export const listedPersonExample = {
  distinctId: 'user-1',
  ids: ['user-1'],
  traits: { name: 'Ada Lovelace', plan: 'pro' },
  firstSeenAt: '2026-01-12T08:15:00.000Z',
  lastSeenAt: '2026-03-03T09:29:00.000Z',
};

const MAX_WHERE = 20_000;

/** The clauses of a query parameter, as JSON. */
const clausesParameter = text({ max: MAX_WHERE })
  .transform((value, context): unknown => {
    try {
      return JSON.parse(value);
    } catch {
      context.addIssue({ code: 'custom', message: 'not JSON; send a list of clauses' });
      return z.NEVER;
    }
  })
  .pipe(
    z
      .array(clause)
      .max(50)
      .superRefine((clauses, context) => {
        const fault = conditionsFault(
          clauses.map((one, index) => ({ path: [index], clause: one, times: 1 })),
        );
        if (fault !== undefined) context.addIssue({ code: 'custom', ...fault });
      }),
  )
  .optional()
  .openapi({
    type: 'string',
    description: 'A list of clauses as JSON, in the format of a flag. All must match.',
    example: '[{"attribute":"plan","op":"eq","value":"pro"}]',
  });

export const listPeople = operation({
  ...common,
  operationId: 'listPeople',
  permission: 'people.read',
  method: 'get',
  path: `${PATH}/people`,
  summary: 'List the people of a project',
  description: `Returns everyone with an event, identify or group call, latest first. A page of a filter that few people match can be short or empty: continue until nextCursor is null. ${page.description}`,
  request: {
    params: z.object({ projectId }),
    query: z.object({
      search: text({ min: 1, max: 200 }).optional().openapi({
        description: 'The beginning of a distinct id, or of the trait name or email in any case.',
        example: 'ada@',
      }),
      cohort: id.optional().openapi({ description: 'Only people of this cohort.', example: 'beta-testers' }),
      where: clausesParameter,
      seen_since: timestamp
        .optional()
        .openapi({ description: 'Only people last seen at this time or later.' }),
      seen_before: timestamp.optional().openapi({ description: 'Only people last seen before this time.' }),
      sort: z
        .enum(['last_seen', 'first_seen'])
        .default('last_seen')
        .openapi({ description: 'The time to sort by, latest first.', example: 'last_seen' }),
      ...page.query,
    }),
  },
  responses: {
    200: {
      ...jsonResponse('A page of people.', z.object({ people: z.array(listedPerson), ...page.answer }), {
        people: [listedPersonExample],
        nextCursor: null,
      }),
      headers: z.object({ ETag: z.string() }),
    },
    304: notModified,
  },
});

export const listInsightPeople = operation({
  ...common,
  operationId: 'listInsightPeople',
  permission: 'people.read',
  method: 'post',
  path: `${PATH}/insights/people`,
  summary: 'List the people behind a value of a query',
  description: `The point names the value as the anchor of a comment thread does. Trends: metric, the name of the series; or with a breakdown breakdown, the name of the line; and bucket, or else the whole range. Funnel: step, from 0, and breakdown; with state dropped, the people who reached the last step before it that is not optional, and not this one. Over time: bucket, of the people who entered, those who reached the last step, or with state dropped the others. Paths: step, the level from 0, and metric, the name of the event; with state ended, the people without a further event. Retention: cohortBucket, or with a breakdown breakdown, and period, from 0, or else everyone who began. Stickiness: metric and daysActive. Lifecycle: bucket and state. metric is optional with one series. A value of people is the number of people listed; any other value lists the people of its events. ${page.description}`,
  request: {
    params: z.object({ projectId }),
    body: jsonBody(
      z.strictObject({
        question: insightQuery,
        point: anchorRequest,
        ...page.query,
      }),
      {
        question: {
          kind: 'funnel',
          range: { last: 7, unit: 'day' },
          steps: [{ event: 'page seen' }, { event: 'order placed' }],
        },
        point: { step: 1, state: 'dropped' },
      },
    ),
  },
  responses: {
    200: jsonResponse(
      'A page of people.',
      z.object({ asOf: timestamp, people: z.array(listedPerson), ...page.answer }),
      { asOf: '2026-03-03T09:30:00.000Z', people: [listedPersonExample], nextCursor: null },
    ),
    304: notModified,
  },
  errors: {
    503: 'Busy, or the query takes too long. Retry after the time in Retry-After, or use a smaller query.',
  },
});

export const countPeople = operation({
  ...common,
  operationId: 'countPeople',
  permission: 'insights.read',
  method: 'post',
  path: `${PATH}/insights/people-count`,
  summary: 'Count the people who fulfill conditions',
  description:
    'Returns the size that a cohort with these conditions would have, without match and distinctIds.',
  request: {
    params: z.object({ projectId }),
    body: jsonBody(z.strictObject({ did: didConditions, combine: combination.default('all') }), {
      did: [{ event: 'order placed', count: { gte: 2 }, within: { days: 30 } }],
    }),
  },
  responses: {
    200: jsonResponse('The number of people.', z.object({ asOf: timestamp, size: z.int() }), {
      asOf: '2026-03-03T09:30:00.000Z',
      size: 42,
    }),
    304: notModified,
  },
  errors: {
    503: 'Busy, or the query takes too long. Retry after the time in Retry-After, or use fewer conditions.',
  },
});
