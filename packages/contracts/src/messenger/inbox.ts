import { z } from '@hono/zod-openapi';
import { id, timestamp } from '../fields/fields.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

const messageExample = {
  id: 'msg_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  title: 'New: saved views',
  body: 'Keep the filters you use.',
  read: false,
  createdAt: '2026-03-01T09:30:00.000Z',
};

export const inAppMessage = z
  .object({ id, title: z.string(), body: z.string(), read: z.boolean(), createdAt: timestamp })
  .openapi('InAppMessage', { example: messageExample });
export type InAppMessage = z.infer<typeof inAppMessage>;

export const readReceipt = z.object({ message_id: id, distinct_id: id }).openapi('ReadReceipt');
export type ReadReceipt = z.infer<typeof readReceipt>;

const common = {
  service: 'messenger',
  host: 'api',
  credential: 'project-key',
  errorShape: 'A',
  tag: 'Inbox',
} as const;

const tooMany = {
  429: {
    description: 'Too many requests for messages. Retry after the time in Retry-After.',
    message: 'Too many requests (messages-address). Retry after the time in Retry-After.',
  },
};

export const listMessages = operation({
  ...common,
  operationId: 'listMessages',
  method: 'get',
  path: '/v1/messages',
  summary: 'List the in-app messages of a person',
  description:
    'Returns up to 100 messages, newest first. Limit: 3,000 requests for messages per minute for an IP address in a project.',
  request: { query: z.object({ distinct_id: id.openapi({ example: 'user-1' }) }) },
  responses: {
    200: jsonResponse('The messages.', z.object({ messages: z.array(inAppMessage) }), {
      messages: [messageExample],
    }),
  },
  errors: tooMany,
});

export const markMessageRead = operation({
  ...common,
  operationId: 'markMessageRead',
  method: 'post',
  path: '/v1/messages/read',
  summary: 'Mark an in-app message as read',
  description:
    'ok is false if the message is not in the inbox of the person. Marking a message twice has no effect. Limits: 3,000 requests for messages per minute for an IP address in a project, 30,000 messages marked per minute for a project.',
  request: {
    body: jsonBody(readReceipt, {
      message_id: 'msg_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
      distinct_id: 'user-1',
    }),
  },
  responses: {
    200: jsonResponse('Whether the message is in the inbox of the person.', z.object({ ok: z.boolean() }), {
      ok: true,
    }),
  },
  errors: tooMany,
});
