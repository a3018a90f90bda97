import { z } from '@hono/zod-openapi';
import { id, text, timestamp } from '../fields/fields.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { conversationStatus, openedConversation, VISITOR_CONVERSATIONS } from './conversations.ts';

export const ownConversationsRequest = z
  .object({
    userId: id,
    userHash: text({ max: 200 }).openapi({
      description: 'HMAC-SHA256 of userId with an identity secret of the project, in lowercase hex.',
    }),
  })
  .openapi('OwnConversationsRequest');
export type OwnConversationsRequest = z.infer<typeof ownConversationsRequest>;

const ownExample = {
  conversationId: 'cnv_018f4c1e7a2b7c3d8e4f5a6b7c8d9e0f',
  token: 'cvt_q1w2e3r4t5y6u7i8o9p0a1s2d3f4g5h6j7k8l9z0x1c',
  expiresInSeconds: 2_592_000,
  subject: 'Invoice for March',
  status: 'open' as const,
  lastTurnAt: '2026-03-01T09:30:00.000Z',
  createdAt: '2026-03-01T09:29:00.000Z',
};

/** A conversation of a verified user, with a token for this device. */
export const ownConversation = openedConversation
  .extend({
    subject: z.string().nullable(),
    status: conversationStatus,
    lastTurnAt: timestamp,
    createdAt: timestamp,
  })
  .openapi('OwnConversation', {
    example: ownExample,
  });
export type OwnConversation = z.infer<typeof ownConversation>;

export const listOwnConversations = operation({
  service: 'messenger',
  host: 'api',
  credential: 'project-key',
  errorShape: 'A',
  tag: 'Conversations',
  operationId: 'listOwnConversations',
  method: 'post',
  path: '/v1/conversations/mine',
  summary: 'List the conversations of a verified user',
  description: `Returns the latest ${VISITOR_CONVERSATIONS} conversations that were opened with this userId and a valid userHash, each with a new token of 30 days. A conversation keeps the newest 10 of these tokens, besides the one of the device that opened it. Limits: 120 requests per minute for an IP address in a project, 6,000 per minute for a project.`,
  request: {
    body: jsonBody(ownConversationsRequest, {
      userId: 'user-1',
      userHash: '5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef',
    }),
  },
  responses: {
    200: jsonResponse(
      'The conversations, latest turn first.',
      z.object({ conversations: z.array(ownConversation) }),
      { conversations: [ownExample] },
    ),
  },
  errors: {
    403: {
      description: 'The project key belongs to another region, or userHash does not match userId.',
      message:
        'userHash: not the lower-case hex HMAC-SHA256 of userId with an identity secret of the project',
    },
    429: {
      description: 'Too many requests. Retry after the time in Retry-After.',
      message: 'Too many requests (own-address). Retry after the time in Retry-After.',
    },
  },
});
