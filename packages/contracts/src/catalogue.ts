import { z } from '@hono/zod-openapi';
import { anyJson, int32, int64 } from './fields.ts';
import { operation } from './operation.ts';

export const publicPlan = z
  .object({
    tier: z.string(),
    cycle: z.string(),
    trialDays: int32,
    priced: z.boolean(),
    entitlements: anyJson,
  })
  .openapi('PublicPlan');

export const perMillion = z
  .object({ input: int64, output: int64, cacheWrite5m: int64, cacheWrite1h: int64, cacheRead: int64 })
  .openapi('PerMillion', { description: 'Micro-dollars per million tokens of each kind.' });

export const publicAiModel = z
  .object({ id: z.string(), displayName: z.string(), perMillion })
  .openapi('PublicAiModel');

const listHeaders = z.object({
  'Cache-Control': z.string().openapi({ example: 'public, max-age=300' }),
  ETag: z.string(),
});

export const listPlans = operation({
  operationId: 'listPlans',
  service: 'catalogue',
  host: 'api',
  credential: 'public',
  errorShape: 'B',
  method: 'get',
  path: '/v1/plans',
  summary: 'The public plan catalogue',
  tag: 'Catalogue',
  responses: {
    200: {
      description: 'Every plan, in the order they were first created.',
      headers: listHeaders,
      content: { 'application/json': { schema: z.object({ plans: z.array(publicPlan) }) } },
    },
    304: { description: 'The list has not changed since the ETag in If-None-Match.' },
  },
});

export const listAiModels = operation({
  operationId: 'listAiModels',
  service: 'catalogue',
  host: 'api',
  credential: 'public',
  errorShape: 'B',
  method: 'get',
  path: '/v1/ai/models',
  summary: 'AI models with prices per million tokens, markup included',
  tag: 'Catalogue',
  responses: {
    200: {
      description: 'Every model, by id. A published price is ceil(base x (100 + markupPercent) / 100).',
      headers: listHeaders,
      content: {
        'application/json': {
          schema: z.object({ markupPercent: z.int().min(0), models: z.array(publicAiModel) }),
        },
      },
    },
    304: { description: 'The list has not changed since the ETag in If-None-Match.' },
  },
});
