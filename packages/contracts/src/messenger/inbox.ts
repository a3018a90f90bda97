import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { id, timestamp } from '../fields.ts';
import { operation } from '../operation.ts';

const theMessage = {
  id: 'msg_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  title: 'New: saved views',
  body: 'Keep the filters you use.',
  read: false,
  createdAt: '2026-03-01T09:30:00.000Z',
};

export const inAppMessage = z
  .object({ id, title: z.string(), body: z.string(), read: z.boolean(), createdAt: timestamp })
  .openapi('InAppMessage', { example: theMessage });
export type InAppMessage = z.infer<typeof inAppMessage>;

export const readReceipt = z.object({ message_id: id, distinct_id: id }).openapi('ReadReceipt');
export type ReadReceipt = z.infer<typeof readReceipt>;

const facts = {
  service: 'messenger',
  host: 'api',
  credential: 'project-key',
  errorShape: 'A',
  tag: 'Inbox',
} as const;

export const listMessages = operation({
  ...facts,
  operationId: 'listMessages',
  method: 'get',
  path: '/v1/messages',
  summary: "A person's in-app messages, newest first",
  description: 'Up to 100. createdAt is a timestamp.',
  request: { query: z.object({ distinct_id: id.openapi({ example: 'user-1' }) }) },
  responses: {
    200: jsonAnswer('The messages.', z.object({ messages: z.array(inAppMessage) }), {
      messages: [theMessage],
    }),
  },
});

export const markMessageRead = operation({
  ...facts,
  operationId: 'markMessageRead',
  method: 'post',
  path: '/v1/messages/read',
  summary: 'Mark a message as read',
  description: "Again: the same answer. ok is false when the message is not in that person's inbox.",
  request: {
    body: jsonBody(readReceipt, {
      message_id: 'msg_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
      distinct_id: 'user-1',
    }),
  },
  responses: {
    200: jsonAnswer('Whether the message is in the inbox.', z.object({ ok: z.boolean() }), { ok: true }),
  },
});
