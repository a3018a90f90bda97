import { z } from '@hono/zod-openapi';
import { eventClause } from '../cohorts.ts';
import { id, text, timestamp, webUrl } from '../fields/fields.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { paging } from '../operation/paging.ts';
import { MAX_WATCHED_COHORTS } from './watched-cohorts.ts';

/** The types of messages that a webhook can subscribe to. */
export const WEBHOOK_TYPES = [
  'event',
  'report.ran',
  'alert.fired',
  'alert.recovered',
  'cohort.entered',
  'cohort.left',
  'conversation.opened',
  'conversation.turn',
  'conversation.resolved',
  'flag.changed',
  'change_request.changed',
  'erasure.done',
  'audit',
] as const;
export const webhookType = z.enum(WEBHOOK_TYPES);
export type WebhookType = z.infer<typeof webhookType>;

/** The maximum number of webhooks of a project. */
export const MAX_WEBHOOKS = 20;

const chosenEvent = z
  .object({
    event: text({ min: 1, max: 200 }).openapi({ example: 'order placed' }),
    where: z
      .array(eventClause)
      .max(20)
      .optional()
      .openapi({ description: 'Conditions on the event. All must match.' }),
  })
  .openapi('WebhookEvent');
export type WebhookEvent = z.infer<typeof chosenEvent>;

const fields = {
  url: webUrl.openapi({
    description: 'An https URL. http is accepted only for an address in WEBHOOK_PRIVATE_NETWORKS.',
    example: 'https://hooks.example.com/switchboard',
  }),
  description: text({ max: 500 }).openapi({ example: 'Orders for the warehouse' }),
  format: z.enum(['standard', 'slack', 'discord', 'teams']).openapi({
    description:
      'The format of bodies: standard for Standard Webhooks, or a short text for an incoming webhook of Slack, a webhook of Discord or a workflow of Microsoft Teams.',
  }),
  types: z
    .array(webhookType)
    .min(1)
    .max(WEBHOOK_TYPES.length)
    .refine((types) => new Set(types).size === types.length, 'names a type twice'),
  events: z.array(chosenEvent).max(20).openapi({
    description: 'The events that the type event sends. An event that matches one of them is sent.',
  }),
  cohorts: z
    .array(id.openapi({ example: 'beta' }))
    .max(MAX_WATCHED_COHORTS)
    .refine((ids) => new Set(ids).size === ids.length, 'names a cohort twice')
    .openapi({
      description: 'The cohorts that the types cohort.entered and cohort.left are about.',
    }),
  enabled: z.boolean().openapi({ description: 'Whether messages are queued and sent.' }),
  ordered: z.boolean().openapi({
    description:
      'Whether messages about one person, conversation, flag or report are sent one after the other. A message then waits until the one before it is delivered or has failed for good.',
  }),
};

export const webhookDefinition = z
  .object({
    ...fields,
    description: fields.description.default(''),
    format: fields.format.default('standard'),
    events: fields.events.default([]),
    cohorts: fields.cohorts.default([]),
    enabled: fields.enabled.default(true),
    ordered: fields.ordered.default(false),
  })
  .refine(({ types, events }) => types.includes('event') === events.length > 0, {
    path: ['events'],
    message: 'name one or more events if types contains event, and none otherwise',
  })
  .refine(
    ({ types, cohorts }) =>
      types.some((type) => type === 'cohort.entered' || type === 'cohort.left') === cohorts.length > 0,
    {
      path: ['cohorts'],
      message: 'name one or more cohorts if types contains cohort.entered or cohort.left, and none otherwise',
    },
  )
  .openapi('WebhookDefinition');
export type WebhookDefinition = z.infer<typeof webhookDefinition>;

const watchedCohort = z.object({
  cohort: id,
  members: z.int().min(0).nullable().openapi({ description: 'The number of its members.' }),
  comparedAt: timestamp.nullable().openapi({
    description: 'When its members were last compared. null: not yet.',
  }),
  failure: z.string().nullable().openapi({
    description: 'Why they could not be compared. Nothing is sent until they can be.',
  }),
});

export const webhook = z
  .object({
    id,
    ...fields,
    watched: z.array(watchedCohort).openapi({ description: 'The state of each of its cohorts.' }),
    disabledReason: z.enum(['gone', 'failing']).nullable().openapi({
      description:
        'Why the webhook was disabled: gone after a response 410, failing after five days without a success. null if it was not, or if you disabled it.',
    }),
    failingSince: timestamp
      .nullable()
      .openapi({ description: 'The time of the first failure since the last success.' }),
    waiting: z.int().min(0).openapi({ description: 'Messages that are not delivered yet.' }),
    discarded: z
      .int()
      .min(0)
      .openapi({ description: 'Messages that were not queued because 10,000 were waiting.' }),
    previousSecretUntil: timestamp.nullable().openapi({
      description: 'Until then, messages are signed with the previous secret as well.',
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .openapi('Webhook');
export type Webhook = z.infer<typeof webhook>;

const secret = z.string().openapi({
  description: 'The signing secret in the format of Standard Webhooks. It is returned once.',
  example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
});

const common = managementOf('delivery');
const webhookId = id.openapi({ example: 'warehouse' });
const params = z.object({ ...projectParams, webhookId });
const WEBHOOKS_PATH = '/management/v1/projects/{projectId}/webhooks';
const WEBHOOK_PATH = `${WEBHOOKS_PATH}/{webhookId}` as const;
const noWebhook = { 404: { description: 'Project or webhook not found.', message: 'Webhook not found.' } };
const notEnabled = {
  409: { description: 'The webhook is disabled.', message: 'The webhook is disabled. Enable it first.' },
};

export const listWebhooks = operation({
  ...common,
  operationId: 'listWebhooks',
  permission: 'webhooks.read',
  method: 'get',
  path: WEBHOOKS_PATH,
  summary: 'List the webhooks of a project',
  request: { params: z.object(projectParams) },
  responses: { 200: jsonResponse('The webhooks, sorted by id.', z.object({ webhooks: z.array(webhook) })) },
});

export const getWebhook = operation({
  ...common,
  operationId: 'getWebhook',
  permission: 'webhooks.read',
  method: 'get',
  path: WEBHOOK_PATH,
  summary: 'Get a webhook',
  request: { params },
  responses: { 200: jsonResponse('The webhook.', webhook) },
  errors: noWebhook,
});

export const putWebhook = operation({
  ...common,
  operationId: 'putWebhook',
  permission: 'webhooks.write',
  method: 'put',
  path: WEBHOOK_PATH,
  summary: 'Create or replace a webhook',
  description:
    'Messages about what happens from then on are queued. Enabling a webhook sends the messages that wait.',
  request: {
    params,
    body: jsonBody(webhookDefinition, {
      url: 'https://hooks.example.com/switchboard',
      description: 'Orders for the warehouse',
      types: ['event', 'flag.changed'],
      events: [{ event: 'order placed', where: [{ attribute: 'total', op: 'gte', value: 100 }] }],
    }),
  },
  responses: {
    200: jsonResponse(
      'The stored webhook.',
      webhook.extend({
        secret: secret.nullable().openapi({ description: 'The secret, if the webhook is new.' }),
      }),
    ),
  },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'The project has as many webhooks, or its webhooks as many cohorts, as they may have.',
      message: `The project already has ${MAX_WEBHOOKS} webhooks; delete one of them first.`,
    },
  },
});

export const deleteWebhook = operation({
  ...common,
  operationId: 'deleteWebhook',
  permission: 'webhooks.write',
  method: 'delete',
  path: WEBHOOK_PATH,
  summary: 'Delete a webhook with its messages',
  request: { params },
  responses: { 204: deleted },
});

export const rotateWebhookSecret = operation({
  ...common,
  operationId: 'rotateWebhookSecret',
  permission: 'webhooks.write',
  method: 'post',
  path: `${WEBHOOK_PATH}/secret`,
  summary: 'Replace the secret of a webhook',
  description:
    'For 24 hours, messages are signed with both secrets. The secret before the previous one is removed.',
  request: { params },
  responses: {
    200: jsonResponse('The new secret.', z.object({ secret, previousSecretUntil: timestamp })),
  },
  errors: noWebhook,
});

export const testWebhook = operation({
  ...common,
  operationId: 'testWebhook',
  permission: 'webhooks.write',
  method: 'post',
  path: `${WEBHOOK_PATH}/test`,
  summary: 'Send a test message',
  description: 'Queues a message of type webhook.test. The attempts are in the log.',
  request: { params },
  responses: { 202: jsonResponse('The queued message.', z.object({ id })) },
  errors: { ...noWebhook, ...notEnabled },
});

export const webhookMessageState = z.enum(['waiting', 'delivered', 'failed']);
export type WebhookMessageState = z.infer<typeof webhookMessageState>;

const attempt = z.object({
  at: timestamp,
  status: z.int().nullable().openapi({ description: 'The status of the response. null: no response.' }),
  error: z.string().nullable().openapi({ description: 'Why there was no response.' }),
  response: z.string().nullable().openapi({ description: 'The first 1,000 bytes of the response body.' }),
  durationMs: z.int().min(0),
});

export const webhookMessage = z
  .object({
    id: id.openapi({ description: 'The header webhook-id. It stays the same for every attempt.' }),
    type: z.string(),
    state: webhookMessageState,
    attempts: z.int().min(0),
    createdAt: timestamp,
    nextAttemptAt: timestamp.nullable(),
    lastStatus: z.int().nullable(),
  })
  .openapi('WebhookMessage');
export type WebhookMessage = z.infer<typeof webhookMessage>;

const page = paging(100);

export const listWebhookMessages = operation({
  ...common,
  operationId: 'listWebhookMessages',
  permission: 'webhooks.read',
  method: 'get',
  path: `${WEBHOOK_PATH}/messages`,
  summary: 'List the messages of a webhook',
  description: `Newest first. ${page.description}`,
  request: {
    params,
    query: z.object({ state: webhookMessageState.optional(), ...page.query }),
  },
  responses: {
    200: jsonResponse('A page of messages.', z.object({ messages: z.array(webhookMessage), ...page.answer })),
  },
  errors: noWebhook,
});

const messageLog = webhookMessage.extend({
  body: z.string().openapi({ description: 'The body that is sent in the format of the webhook, as JSON.' }),
  log: z.array(attempt).openapi({ description: 'The attempts, oldest first.' }),
});
export type WebhookMessageLog = z.infer<typeof messageLog>;

export const getWebhookMessage = operation({
  ...common,
  operationId: 'getWebhookMessage',
  permission: 'webhookMessages.read',
  method: 'get',
  path: `${WEBHOOK_PATH}/messages/{messageId}`,
  summary: 'Get a message with its body and attempts',
  request: {
    params: params.extend({ messageId: id.openapi({ example: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' }) }),
  },
  responses: { 200: jsonResponse('The message.', messageLog) },
  errors: { 404: { description: 'Project, webhook or message not found.', message: 'Message not found.' } },
});

const replay = z
  .object({
    messageId: id.optional().openapi({ description: 'One message. Leave out the other properties.' }),
    from: timestamp.optional().openapi({ description: 'The start of the range, inclusive.' }),
    to: timestamp.optional().openapi({ description: 'The end of the range, exclusive.' }),
    state: z
      .enum(['failed', 'all'])
      .optional()
      .openapi({ description: 'The messages of the range. all: delivered messages too. Default: failed.' }),
  })
  .refine(
    ({ messageId, from, to, state }) =>
      messageId === undefined
        ? from !== undefined && to !== undefined && from < to
        : from === undefined && to === undefined && state === undefined,
    { message: 'send messageId alone, or from and a later to' },
  )
  .openapi('WebhookReplay');
export type WebhookReplay = z.infer<typeof replay>;

export const replayWebhookMessages = operation({
  ...common,
  operationId: 'replayWebhookMessages',
  permission: 'webhooks.write',
  method: 'post',
  path: `${WEBHOOK_PATH}/replays`,
  summary: 'Send messages again',
  description:
    'Queues one message, or those created in a range, with the same ids and bodies, oldest first. A range is limited by the 10,000 messages that may wait.',
  request: { params, body: jsonBody(replay, { messageId: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W' }) },
  responses: { 202: jsonResponse('The number of queued messages.', z.object({ queued: z.int().min(0) })) },
  errors: { ...noWebhook, ...notEnabled },
});
