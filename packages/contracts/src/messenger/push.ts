import { z } from '@hono/zod-openapi';
import { base64url, httpsUrl, id, timestamp } from '../fields/fields.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

/** The browsers of a member that get pushes of a project. A further one replaces the oldest. */
export const MAX_PUSH_SUBSCRIPTIONS = 10;

const common = managementOf('messenger');
const PATH = '/management/v1/projects/{projectId}/push-subscriptions';

const ownPushSubscription = z
  .object({ id, endpoint: httpsUrl, createdAt: timestamp })
  .openapi('OwnPushSubscription');

export const listPushSubscriptions = operation({
  ...common,
  operationId: 'listPushSubscriptions',
  permission: 'support.read',
  method: 'get',
  path: PATH,
  summary: 'List your browsers that get pushes',
  description:
    'The push subscriptions of the caller. A subscription is removed when its push service answers 404 or 410, and when the VAPID keys of the deployment change.',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse(
      'The subscriptions, newest first.',
      z.object({
        applicationServerKey: z
          .string()
          .nullable()
          .openapi({ description: 'The key to subscribe with. null if the deployment sends no pushes.' }),
        subscriptions: z.array(ownPushSubscription),
      }),
    ),
  },
  errors: { 404: 'Project not found.' },
});

export const addPushSubscription = operation({
  ...common,
  operationId: 'addPushSubscription',
  permission: 'conversations.reply',
  method: 'post',
  path: PATH,
  summary: 'Get pushes in a browser',
  description: `Turns of visitors are pushed to the browser by your preferences. The browser stops getting those of other members. A member has up to ${MAX_PUSH_SUBSCRIPTIONS}; a further one replaces the oldest.`,
  request: {
    params: z.object(projectParams),
    body: jsonBody(
      z.object({
        endpoint: httpsUrl,
        expirationTime: z.number().nullable().optional(),
        keys: z.object({ p256dh: base64url(65), auth: base64url(16) }),
      }),
      {
        endpoint: 'https://push.example.com/send/abc',
        keys: {
          p256dh: 'BFdfoow8N8G2lrL4x2XNJWQKyn0u0VpPFq7Dort7p4kzDhNO0Vhkv6kMTDQMnHmtddzfIU4vT5la02DGkW2CJAw',
          auth: 'nWo0Q6BcuoTsk9seUfydNA',
        },
      },
    ),
  },
  responses: { 201: jsonResponse('The subscription.', z.object({ id })) },
  errors: {
    404: 'Project not found.',
    409: {
      description: 'The deployment sends no pushes.',
      message: 'No VAPID keys are set. The operator sets VAPID_PUBLIC_KEY and VAPID_PRIVATE_KEY.',
    },
  },
});

export const removePushSubscription = operation({
  ...common,
  operationId: 'removePushSubscription',
  permission: 'conversations.reply',
  method: 'delete',
  path: `${PATH}/{subscriptionId}`,
  summary: 'Stop pushes to a browser',
  description: 'Only subscriptions of the caller are removed.',
  request: { params: z.object({ ...projectParams, subscriptionId: id }) },
  responses: { 204: deleted },
  errors: { 404: 'Project not found.' },
});
