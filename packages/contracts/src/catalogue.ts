import { z } from '@hono/zod-openapi';
import { anyJson, int32, int64 } from './fields/fields.ts';
import { notModified } from './operation/bodies.ts';
import { operation } from './operation/operation.ts';

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
  summary: 'List the public plans',
  description:
    'Returns the tier, billing cycle, trial and entitlements of each plan, for a pricing page. Cache it for 5 minutes. Send If-None-Match to get 304 while the list is unchanged.',
  tag: 'Catalogue',
  responses: {
    200: {
      description: 'The plans, in order of creation.',
      headers: listHeaders,
      content: {
        'application/json': {
          schema: z.object({ plans: z.array(publicPlan) }),
          example: {
            plans: [
              {
                tier: 'pro',
                cycle: 'monthly',
                trialDays: 14,
                priced: true,
                entitlements: { articleSearch: true, aiTranslationBytesPerMonth: 1_000_000 },
              },
            ],
          },
        },
      },
    },
    304: notModified,
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
  summary: 'List the AI models and their prices',
  description:
    'Prices are in micro-dollars per million tokens, markup included: 3,000,000 is 3 US dollars. Cache the list for an hour. Send If-None-Match to get 304 while it is unchanged.',
  tag: 'Catalogue',
  responses: {
    200: {
      description: 'The models, sorted by id. A published price is ceil(base x (100 + markupPercent) / 100).',
      headers: listHeaders,
      content: {
        'application/json': {
          schema: z.object({ markupPercent: z.int().min(0), models: z.array(publicAiModel) }),
          example: {
            markupPercent: 20,
            models: [
              {
                id: 'small-2',
                displayName: 'Small 2',
                perMillion: {
                  input: 300_000,
                  output: 1_500_000,
                  cacheWrite5m: 360_000,
                  cacheWrite1h: 600_000,
                  cacheRead: 30_000,
                },
              },
            ],
          },
        },
      },
    },
    304: notModified,
  },
});
