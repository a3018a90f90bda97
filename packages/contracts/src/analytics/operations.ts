import { z } from '@hono/zod-openapi';
import { anyJson, id, text, timestamp } from '../fields/fields.ts';
import { projectId } from '../fields/ids.ts';
import { jsonBody, jsonResponse, notModified } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { joinedBy } from '../people/topic.ts';
import { USED_WIRES } from '../wires/names.ts';
import { insightQuery } from './query.ts';
import { reportContent } from './report-content.ts';

const common = {
  service: 'analytics',
  host: 'api',
  credential: 'access-token',
  errorShape: 'B',
  tag: 'Insights',
} as const;

const PATH = '/v1/projects/{projectId}';
const asOf = timestamp.openapi({
  description: 'The result includes every event accepted before this time, and possibly some later ones.',
});
const busy = {
  503: 'Busy, or the query takes too long. Retry after the time in Retry-After, or use a smaller query.',
};
const page = paging(100);
const namesPage = paging(200);
const lastEvents = paging(20);
const etag = z.object({ ETag: z.string() });
const conditional = z.object({
  'If-None-Match': text({ max: 1000 }).optional().openapi({ example: '"q1w2e3r4t5y6u7i8o9p0a1s2d3f"' }),
});

const CONDITIONAL = 'Send If-None-Match to get 304 while there are no newer events.';
const sinceDays = (days: number) =>
  timestamp.optional().openapi({ description: `Default: the start of the day ${days} days ago, in UTC.` });
/** By default later than requested if there are too many events. */
const counted = timestamp.openapi({
  description:
    'The start of the counted range: since, or a later time if one query cannot read that many events.',
});
const ok = <T extends object>(response: T) => ({ 200: { ...response, headers: etag }, 304: notModified });

const insight = z.object({ asOf, report: reportContent }).openapi('Insight');

export const askInsight = operation({
  ...common,
  operationId: 'askInsight',
  permission: 'insights.read',
  method: 'post',
  path: `${PATH}/insights`,
  summary: 'Query the events of a project',
  description: `Returns the result of a trends, funnel, paths, retention, stickiness or lifecycle query as a report that a public link can show. People are counted by distinct id. A bucket is named after its first day, even if that day is before the range; events outside the range do not count. ${CONDITIONAL}`,
  request: {
    params: z.object({ projectId }),
    headers: conditional,
    body: jsonBody(insightQuery, {
      kind: 'trends',
      range: { last: 7, unit: 'day' },
      series: [{ event: 'order placed' }],
    }),
  },
  responses: ok(
    jsonResponse('The result.', insight, {
      asOf: '2026-03-03T09:30:00.000Z',
      report: {
        kind: 'line',
        interval: 'day',
        buckets: ['2026-03-01', '2026-03-02', '2026-03-03'],
        series: [{ name: 'order placed', values: [67, 69, 12] }],
      },
    }),
  ),
  errors: busy,
});

export const storedEvent = z
  .object({
    eventId: id,
    name: z.string(),
    distinctId: z.string(),
    sessionId: z.string().nullable(),
    occurredAt: timestamp,
    receivedAt: timestamp,
    properties: anyJson,
    context: anyJson,
  })
  .openapi('StoredEvent');
export type StoredEvent = z.infer<typeof storedEvent>;

export const getArrival = operation({
  ...common,
  operationId: 'getArrival',
  permission: 'insights.read',
  method: 'get',
  path: `${PATH}/arrival`,
  summary: 'Get whether events arrive',
  description: `Returns the last minute with an event or call, and the events of the last hour by minute and by SDK. Counts events that occurred in the 24 hours before. ${CONDITIONAL}`,
  request: { params: z.object({ projectId }), headers: conditional },
  responses: ok(
    jsonResponse(
      'Whether events arrive.',
      z
        .object({
          asOf,
          lastSeenAt: timestamp.nullable().openapi({
            description: 'The minute of the latest event or call. null: none is known.',
          }),
          minutes: z.array(z.object({ at: timestamp, events: z.int() })).openapi({
            description:
              'The events accepted in each of the last 60 minutes, oldest first. Empty if there are too many to count.',
          }),
          sdks: z.array(z.object({ name: z.string(), version: z.string(), events: z.int() })).openapi({
            description: 'The 20 SDKs with most of these events, by context.sdk and context.sdk_version.',
          }),
        })
        .openapi('Arrival'),
      {
        asOf: '2026-03-03T09:30:00.000Z',
        lastSeenAt: '2026-03-03T09:29:00.000Z',
        minutes: [{ at: '2026-03-03T09:29:00.000Z', events: 12 }],
        sdks: [{ name: 'browser', version: '0.1.0', events: 12 }],
      },
    ),
  ),
  errors: busy,
});

const rejection = z
  .object({
    operation: z.string().openapi({ description: 'The operation, such as ingestEvents.' }),
    status: z.int(),
    reason: z.string().openapi({ description: 'The message of the response, without values and indexes.' }),
    requests: z.int(),
    lastAt: timestamp,
  })
  .openapi('Rejection');
export type Rejection = z.infer<typeof rejection>;

export const listRejections = operation({
  ...common,
  operationId: 'listRejections',
  permission: 'insights.read',
  method: 'get',
  path: `${PATH}/rejections`,
  summary: 'List why requests with events and calls were rejected',
  description:
    'Returns up to 50 reasons of the last 24 hours, most requests first. Counts requests with a key of the project, some seconds late. After a crash, requests may be missing or counted twice.',
  request: { params: z.object({ projectId }) },
  responses: {
    200: jsonResponse('The reasons.', z.object({ rejections: z.array(rejection) }), {
      rejections: [
        {
          operation: 'ingestEvents',
          status: 400,
          reason: 'events[].timestamp: not an RFC 3339 date-time',
          requests: 12,
          lastAt: '2026-03-03T09:29:00.000Z',
        },
      ],
    }),
  },
});

const accepted = z.object({ day: z.int(), week: z.int() });

const wireUsage = z
  .object({
    wire: z.enum(USED_WIRES).openapi({ description: 'switchboard: our own API and SDKs.' }),
    on: z.boolean().openapi({ description: 'Whether the project accepts it.' }),
    requests: accepted.openapi({ description: 'Accepted requests of the last 24 hours and 7 days.' }),
    events: accepted.openapi({ description: 'Events and calls in these requests.' }),
    lastSeenAt: timestamp.nullable().openapi({ description: 'null: not in the last 7 days.' }),
    sdks: z
      .array(z.object({ name: z.string(), version: z.string(), requests: z.int(), lastSeenAt: timestamp }))
      .openapi({ description: 'The 20 known SDKs with most requests in the last 7 days.' }),
    losses: z.array(rejection).openapi({
      description:
        'The 20 most frequent reasons of the last 7 days for which requests or parts were not kept.',
    }),
  })
  .openapi('WireUsage');
export type WireUsage = z.infer<typeof wireUsage>;

export const listWireUsage = operation({
  ...common,
  operationId: 'listWireUsage',
  permission: 'insights.read',
  method: 'get',
  path: `${PATH}/wire-usage`,
  summary: 'List what arrives by which wire',
  description:
    'Counts requests with a key of the project for events, recordings and flags, to the hour and some minutes late. After a crash, requests may be missing or counted twice.',
  request: { params: z.object({ projectId }) },
  responses: {
    200: jsonResponse('Our own API, then those of other products.', z.object({ wires: z.array(wireUsage) }), {
      wires: [
        {
          wire: 'segment',
          on: true,
          requests: { day: 40, week: 250 },
          events: { day: 400, week: 2500 },
          lastSeenAt: '2026-03-03T09:29:00.000Z',
          sdks: [
            {
              name: '@segment/analytics-node',
              version: '3.1.0',
              requests: 250,
              lastSeenAt: '2026-03-03T09:29:00.000Z',
            },
          ],
          losses: [
            {
              operation: 'segmentCall',
              status: 400,
              reason: 'context.ip: not kept',
              requests: 12,
              lastAt: '2026-03-03T09:29:00.000Z',
            },
          ],
        },
      ],
    }),
  },
});

export const listEvents = operation({
  ...common,
  operationId: 'listEvents',
  permission: 'events.read',
  method: 'get',
  path: `${PATH}/events`,
  summary: 'List the latest events of a project',
  description: `distinct_id selects the events of every id of that person. Sorted by the time they occurred, newest first. ${CONDITIONAL} ${page.description}`,
  request: {
    params: z.object({ projectId }),
    headers: conditional,
    query: z.object({
      name: text({ min: 1, max: 200 }).optional().openapi({ example: 'order placed' }),
      distinct_id: id.optional().openapi({ example: 'user-1' }),
      since: sinceDays(30),
      ...page.query,
    }),
  },
  responses: ok(
    jsonResponse('A page of events.', z.object({ asOf, events: z.array(storedEvent), ...page.answer }), {
      asOf: '2026-03-03T09:30:00.000Z',
      events: [
        {
          eventId: 'event-1',
          name: 'order placed',
          distinctId: 'user-1',
          sessionId: null,
          occurredAt: '2026-03-03T09:29:00.000Z',
          receivedAt: '2026-03-03T09:29:01.000Z',
          properties: { total: 12.5 },
          context: null,
        },
      ],
      nextCursor: null,
    }),
  ),
  errors: busy,
});

export const listEventNames = operation({
  ...common,
  operationId: 'listEventNames',
  permission: 'insights.read',
  method: 'get',
  path: `${PATH}/event-names`,
  summary: 'List the event names of a project',
  description: `Returns names with their number of events and the time of the last one, most frequent first. ${CONDITIONAL} ${namesPage.description}`,
  request: {
    params: z.object({ projectId }),
    headers: conditional,
    query: z.object({ since: sinceDays(90), ...namesPage.query }),
  },
  responses: ok(
    jsonResponse(
      'A page of names.',
      z.object({
        asOf,
        since: counted,
        eventNames: z.array(z.object({ name: z.string(), count: z.int(), lastSeenAt: timestamp })),
        ...namesPage.answer,
      }),
      {
        asOf: '2026-03-03T09:30:00.000Z',
        since: '2025-12-03T00:00:00.000Z',
        eventNames: [{ name: 'order placed', count: 148, lastSeenAt: '2026-03-03T09:29:00.000Z' }],
        nextCursor: null,
      },
    ),
  ),
  errors: busy,
});

export const listEventProperties = operation({
  ...common,
  operationId: 'listEventProperties',
  permission: 'insights.read',
  method: 'get',
  path: `${PATH}/event-names/{name}/properties`,
  summary: 'List the properties of an event name',
  description: `Returns the properties of the last 10,000 events of a name, most frequent first, with the types of their values and the 10 most frequent values. ${CONDITIONAL} ${namesPage.description}`,
  request: {
    params: z.object({ projectId, name: text({ min: 1, max: 200 }).openapi({ example: 'order placed' }) }),
    headers: conditional,
    query: z.object({ since: sinceDays(30), ...namesPage.query }),
  },
  responses: ok(
    jsonResponse(
      'A page of properties.',
      z.object({
        asOf,
        since: counted,
        properties: z.array(
          z.object({
            name: z.string().openapi({
              description:
                'The name to use in queries. It is property.<name> if the name alone has another meaning.',
            }),
            count: z.int(),
            lastSeenAt: timestamp,
            types: z.array(z.enum(['text', 'number', 'boolean', 'null', 'object', 'list'])),
            values: z.array(z.object({ value: z.string(), count: z.int() })),
          }),
        ),
        ...namesPage.answer,
      }),
      {
        asOf: '2026-03-03T09:30:00.000Z',
        since: '2026-02-01T00:00:00.000Z',
        properties: [
          {
            name: 'plan',
            count: 148,
            lastSeenAt: '2026-03-03T09:29:00.000Z',
            types: ['text'],
            values: [{ value: 'pro', count: 100 }],
          },
        ],
        nextCursor: null,
      },
    ),
  ),
  errors: busy,
});

const personId = z
  .object({
    distinctId: id,
    firstSeenAt: timestamp
      .nullable()
      .openapi({ description: 'To the minute. null: no event or call is known.' }),
    lastSeenAt: timestamp.nullable(),
    joinedAt: timestamp.nullable().openapi({ description: 'null for the id that names the person.' }),
    joinedBy: joinedBy.nullable(),
  })
  .openapi('PersonId');

export const getPerson = operation({
  ...common,
  operationId: 'getPerson',
  permission: 'people.read',
  method: 'get',
  path: `${PATH}/people/{distinctId}`,
  summary: 'Get a person with their latest events',
  description: `Returns the current traits, groups and cohorts of the person with a distinct id, and the events of all of their ids of the last 30 days, newest first. For an unknown person, all of them are empty. ${CONDITIONAL} ${lastEvents.description}`,
  request: {
    params: z.object({ projectId, distinctId: id.openapi({ example: 'user-1' }) }),
    headers: conditional,
    query: z.object(lastEvents.query),
  },
  responses: ok(
    jsonResponse(
      'The person.',
      z
        .object({
          asOf,
          distinctId: id.openapi({ description: 'The id that names the person.' }),
          ids: z.array(personId).openapi({ description: 'The id that names the person, then the others.' }),
          traits: z.record(z.string(), z.unknown()),
          groups: z.array(
            z.object({ type: z.string(), id: z.string(), traits: z.record(z.string(), z.unknown()) }),
          ),
          cohorts: z.array(z.string()).openapi({ description: 'The ids of the cohorts.' }),
          events: z.array(storedEvent).openapi({ description: 'A page of events, newest first.' }),
          ...lastEvents.answer,
        })
        .openapi('InsightPerson'),
      {
        asOf: '2026-03-03T09:30:00.000Z',
        distinctId: 'user-1',
        ids: [
          {
            distinctId: 'user-1',
            firstSeenAt: '2026-03-01T09:30:00.000Z',
            lastSeenAt: '2026-03-03T09:29:00.000Z',
            joinedAt: null,
            joinedBy: null,
          },
          {
            distinctId: 'visitor-7',
            firstSeenAt: '2026-03-01T09:12:00.000Z',
            lastSeenAt: '2026-03-01T09:29:00.000Z',
            joinedAt: '2026-03-01T09:30:00.000Z',
            joinedBy: { kind: 'identify' },
          },
        ],
        traits: { plan: 'pro' },
        groups: [{ type: 'company', id: 'acme', traits: { seats: 12 } }],
        cohorts: ['beta-testers'],
        events: [],
        nextCursor: null,
      },
    ),
  ),
  errors: busy,
});
