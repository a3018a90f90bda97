import { z } from '@hono/zod-openapi';
import { id, text, timestamp, webUrl } from '../fields/fields.ts';
import { timeZone } from '../fields/time-zone.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

/** The maximum number of subscriptions of a project. */
export const MAX_SUBSCRIPTIONS = 50;
/** The maximum number of members that a subscription is sent to. */
export const MAX_SUBSCRIBERS = 20;
/** The maximum number of chat channels that a subscription is sent to. */
export const MAX_CHANNELS = 5;
/** The number of mails in a row that no one opens before a subscription is paused. */
export const MAX_UNOPENED_MAILS = 8;

const at = text({ min: 5, max: 5 })
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'not a time of day such as 08:30')
  .openapi({
    description:
      'The local time. A time that daylight saving time skips is moved forward, and one that occurs twice is the first.',
    example: '08:30',
  });
const zone = timeZone.openapi({ description: 'An IANA time zone.', example: 'Europe/Berlin' });

/** When a subscription is sent, in local time. */
export const subscriptionSchedule = z
  .discriminatedUnion('every', [
    z.object({ every: z.enum(['day', 'weekday']), at, timeZone: zone }),
    z.object({
      every: z.literal('week'),
      on: z.int().min(1).max(7).openapi({ description: '1 is Monday, 7 is Sunday.' }),
      at,
      timeZone: zone,
    }),
    z.object({
      every: z.literal('month'),
      on: z.int().min(1).max(31).openapi({
        description: 'The day of the month. In a month without this day, the last day.',
      }),
      at,
      timeZone: zone,
    }),
  ])
  .openapi('SubscriptionSchedule');
export type SubscriptionSchedule = z.infer<typeof subscriptionSchedule>;

export const subscriptionTarget = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.enum(['report', 'dashboard']), id }),
    z.object({ kind: z.literal('threads') }).openapi({
      description:
        'A digest of comment threads: each recipient gets the unread threads that they wrote in or that mention them, with comments since the last digest. Nothing is sent to a recipient without any.',
    }),
  ])
  .openapi('SubscriptionTarget');
export type SubscriptionTarget = z.infer<typeof subscriptionTarget>;

export const subscriptionChannel = z
  .object({
    kind: z.enum(['slack', 'discord', 'teams']).openapi({
      description:
        'The format of messages: of incoming webhooks of Slack, of webhooks of Discord, or of the workflows of Microsoft Teams.',
    }),
    url: webUrl.openapi({
      description:
        'The address of the webhook, which is a secret. Responses shorten it; send it back as it is to keep it. http is accepted only for an address in WEBHOOK_PRIVATE_NETWORKS.',
      example: 'https://hooks.slack.com/services/T0/B0/x',
    }),
  })
  .openapi('SubscriptionChannel');
export type SubscriptionChannel = z.infer<typeof subscriptionChannel>;

const fields = { target: subscriptionTarget, schedule: subscriptionSchedule };

export const subscriptionDefinition = z
  .object({
    ...fields,
    recipients: z
      .array(id)
      .max(MAX_SUBSCRIBERS)
      .refine((subs) => new Set(subs).size === subs.length, 'names a member twice')
      .openapi({
        description:
          'Members of the company, by the sub of their access tokens. May be empty if there are channels.',
      }),
    channels: z.array(subscriptionChannel).max(MAX_CHANNELS).optional().openapi({
      description:
        'Chat channels. Absent: those of the subscription stay. A digest of threads has none, since it differs for each recipient.',
    }),
    enabled: z.boolean().default(true).openapi({ description: 'false: paused.' }),
  })
  .openapi('SubscriptionDefinition');
export type SubscriptionDefinition = z.infer<typeof subscriptionDefinition>;

export const subscription = z
  .object({
    id,
    ...fields,
    recipients: z.array(
      z.object({
        sub: id,
        unsubscribed: z.boolean().openapi({
          description: 'Whether the member has unsubscribed. Only they can subscribe again.',
        }),
      }),
    ),
    channels: z.array(subscriptionChannel).openapi({ description: 'Chat channels, with shortened URLs.' }),
    enabled: z.boolean(),
    pausedReason: z
      .enum(['unopened', 'unsubscribed'])
      .nullable()
      .openapi({
        description: `Why the subscription was paused: unopened after ${MAX_UNOPENED_MAILS} mails in a row that no one opened, unsubscribed after the last recipient left. null if it was not, or if you paused it. A subscription with channels is paused by neither.`,
      }),
    nextAt: timestamp.nullable().openapi({ description: 'When it is sent next. null if it is paused.' }),
    isSending: z.boolean().openapi({ description: 'Whether its reports are run at present.' }),
    lastSentAt: timestamp.nullable(),
    failure: z.object({ at: timestamp, message: z.string() }).nullable().openapi({
      description: 'Why the last mail, push or chat message was not sent. null after all were sent.',
    }),
    unopened: z.int().min(0).openapi({ description: 'The number of mails in a row that no one opened.' }),
    createdBySub: z.string().nullable().openapi({ description: 'null if the person was erased.' }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi('Subscription');
export type Subscription = z.infer<typeof subscription>;

const common = managementOf('collaboration');
const subscriptionId = id.openapi({ example: 'weekly-sign-ups' });
const params = z.object({ ...projectParams, subscriptionId });
const LIST_PATH = '/management/v1/projects/{projectId}/subscriptions';
const PATH = `${LIST_PATH}/{subscriptionId}` as const;
const notFound = {
  404: { description: 'Project or subscription not found.', message: 'Subscription not found.' },
};

export const listSubscriptions = operation({
  ...common,
  operationId: 'listSubscriptions',
  permission: 'subscriptions.read',
  method: 'get',
  path: LIST_PATH,
  summary: 'List the subscriptions of a project',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse('The subscriptions, sorted by id.', z.object({ subscriptions: z.array(subscription) })),
  },
});

export const getSubscription = operation({
  ...common,
  operationId: 'getSubscription',
  permission: 'subscriptions.read',
  method: 'get',
  path: PATH,
  summary: 'Get a subscription',
  request: { params },
  responses: { 200: jsonResponse('The subscription.', subscription) },
  errors: notFound,
});

export const putSubscription = operation({
  ...common,
  operationId: 'putSubscription',
  permission: 'subscriptions.write',
  method: 'put',
  path: PATH,
  summary: 'Create or replace a subscription',
  description:
    'Sends a report, the reports of a dashboard or a digest of comment threads on a schedule: to members by mail and push, and to chat channels. The reports run first; if a query fails, nothing is sent. A time that passes while the service is down is made up for once. A recipient who is not a member of the company gets 400.',
  request: {
    params,
    body: jsonBody(subscriptionDefinition, {
      target: { kind: 'report', id: 'weekly-sign-ups' },
      schedule: { every: 'week', on: 1, at: '08:30', timeZone: 'Europe/Berlin' },
      recipients: ['sub-grace'],
    }),
  },
  responses: { 200: jsonResponse('The stored subscription.', subscription) },
  errors: {
    404: { description: 'Project, report or dashboard not found.', message: 'Report not found.' },
    409: {
      description:
        'The project has as many subscriptions as it may have, or the dashboard has a range or filters.',
      message: `The project already has ${MAX_SUBSCRIPTIONS} subscriptions; delete one of them first.`,
    },
  },
});

export const deleteSubscription = operation({
  ...common,
  operationId: 'deleteSubscription',
  permission: 'subscriptions.write',
  method: 'delete',
  path: PATH,
  summary: 'Delete a subscription',
  request: { params },
  responses: { 204: deleted },
});

export const sendSubscription = operation({
  ...common,
  operationId: 'sendSubscription',
  permission: 'subscriptions.write',
  method: 'post',
  path: `${PATH}/send`,
  summary: 'Send a subscription now',
  description: 'Runs the reports and sends them, also if the subscription is paused. Its schedule stays.',
  request: { params },
  responses: { 202: { description: 'The reports are queued to run.' } },
  errors: {
    ...notFound,
    409: { description: 'The subscription is being sent.', message: 'The subscription is being sent.' },
    429: 'Too many mails. Retry after the time in Retry-After.',
  },
});
