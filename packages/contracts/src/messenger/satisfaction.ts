import { z } from '@hono/zod-openapi';
import { text, timestamp } from '../fields/fields.ts';
import { conversationId } from '../fields/ids.ts';
import { jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

export const satisfactionScore = z.int().min(1).max(5).openapi({
  description: 'From 1, very dissatisfied, to 5, very satisfied.',
  example: 5,
});

export const satisfactionRating = z
  .object({
    score: satisfactionScore,
    comment: text({ max: 1_000 }).nullable().optional(),
  })
  .openapi('SatisfactionRating');
export type SatisfactionRating = z.infer<typeof satisfactionRating>;

const example = {
  asked: true,
  score: 5,
  comment: 'Quick and friendly.',
  changeableUntil: '2026-03-02T09:30:00.000Z',
};

/** A visitor's rating of the last resolution of a conversation. */
export const satisfaction = z
  .object({
    asked: z.boolean().openapi({
      description: 'Whether the visitor can rate the conversation now, or change the rating.',
    }),
    score: z.int().nullable().openapi({ description: 'null until the visitor rates the resolution.' }),
    comment: z.string().nullable(),
    changeableUntil: timestamp.nullable().openapi({ description: 'A day after the first rating.' }),
  })
  .openapi('Satisfaction', { example });
export type Satisfaction = z.infer<typeof satisfaction>;

const common = {
  service: 'messenger',
  host: 'api',
  credential: 'conversation',
  errorShape: 'A',
  tag: 'Conversations',
  path: '/v1/conversations/{id}/satisfaction',
} as const;

const params = z.object({ id: conversationId });
const tooMany = {
  description: 'Too many requests. Retry after the time in Retry-After.',
  message: 'Too many requests (ratings). Retry after the time in Retry-After.',
};

export const getSatisfaction = operation({
  ...common,
  operationId: 'getSatisfaction',
  method: 'get',
  summary: 'Get whether a visitor is asked to rate a conversation',
  description:
    'Call it when the status becomes resolved. Limits: 30 requests per minute and conversation, 3,000 per minute for an IP address in a project.',
  request: { params },
  responses: { 200: jsonResponse('The rating of the last resolution.', satisfaction, example) },
  errors: { 429: tooMany },
});

export const rateConversation = operation({
  ...common,
  operationId: 'rateConversation',
  method: 'post',
  summary: 'Rate a resolved conversation',
  description:
    'One rating for each resolution. The visitor can change it for a day, while the conversation is resolved. The project must ask for ratings. Limits: 30 requests per minute and conversation, 3,000 per minute for an IP address in a project.',
  request: { params, body: jsonBody(satisfactionRating, { score: 5, comment: 'Quick and friendly.' }) },
  responses: { 200: jsonResponse('The stored rating.', satisfaction, example) },
  errors: {
    409: {
      description:
        'The conversation is not resolved, the project does not ask for ratings, or the rating is older than a day.',
      message: 'The conversation cannot be rated now.',
    },
    429: tooMany,
  },
});
