import { z } from '@hono/zod-openapi';
import { jsonAnswer, jsonBody } from '../bodies.ts';
import { anyJson, id, int32, int64, refuseJsonFault } from '../fields.ts';
import { operation } from '../operation.ts';
import { cycle, modelId, tier } from '../path-ids.ts';
import { deleted, managementOf } from './facts.ts';

/** What a plan or a company lets its projects do. The four named are read; any other is kept and published. */
export const entitlements = z
  .object({
    articleSearch: z.boolean().optional(),
    aiTranslations: z.boolean().optional(),
    aiTranslationBytesPerMonth: int64.min(0).optional(),
    visitorAttachments: z.boolean().optional(),
  })
  .catchall(anyJson)
  .check(refuseJsonFault)
  .openapi('Entitlements', {
    example: {
      articleSearch: true,
      aiTranslations: true,
      aiTranslationBytesPerMonth: 1_000_000,
      visitorAttachments: true,
    },
  });
export type Entitlements = z.infer<typeof entitlements>;

export const planDefinition = z
  .object({ trialDays: int32.min(0), priced: z.boolean(), entitlements })
  .openapi('PlanDefinition');
export type PlanDefinition = z.infer<typeof planDefinition>;

export const plan = planDefinition.extend({ tier: id, cycle: id }).openapi('Plan');
export type Plan = z.infer<typeof plan>;

const price = int64.min(0);

/** A model's own prices, before the markup, in micro-dollars per million tokens. */
export const aiModelDefinition = z
  .object({
    displayName: id,
    perMillion: z.object({
      input: price,
      output: price,
      cacheWrite5m: price,
      cacheWrite1h: price,
      cacheRead: price,
    }),
  })
  .openapi('AiModelDefinition', { description: 'Prices before the markup.' });
export type AiModelDefinition = z.infer<typeof aiModelDefinition>;

export const aiModel = aiModelDefinition.extend({ id }).openapi('AiModel');
export type AiModel = z.infer<typeof aiModel>;

export const aiMarkup = z.object({ markupPercent: z.int().min(0).max(100_000) }).openapi('AiMarkup');
export type AiMarkup = z.infer<typeof aiMarkup>;

const facts = managementOf('catalogue');
const planParams = z.object({ tier, cycle });
const modelParams = z.object({ id: modelId });

export const getPlan = operation({
  ...facts,
  operationId: 'getPlan',
  method: 'get',
  path: '/management/v1/plans/{tier}/{cycle}',
  summary: 'One plan',
  request: { params: planParams },
  responses: { 200: jsonAnswer('The plan.', plan) },
  errors: { 404: 'No such plan.' },
});

export const putPlan = operation({
  ...facts,
  operationId: 'putPlan',
  method: 'put',
  path: '/management/v1/plans/{tier}/{cycle}',
  summary: 'Create or replace a plan',
  description: 'A plan keeps its place in the public catalogue when it is replaced.',
  request: {
    params: planParams,
    body: jsonBody(planDefinition, { trialDays: 14, priced: true, entitlements: { articleSearch: true } }),
  },
  responses: { 200: jsonAnswer('The plan as stored.', plan) },
});

export const deletePlan = operation({
  ...facts,
  operationId: 'deletePlan',
  method: 'delete',
  path: '/management/v1/plans/{tier}/{cycle}',
  summary: 'Remove a plan',
  request: { params: planParams },
  responses: { 204: deleted },
  errors: { 409: 'A company is on this plan.' },
});

export const getAiModel = operation({
  ...facts,
  operationId: 'getAiModel',
  method: 'get',
  path: '/management/v1/ai/models/{id}',
  summary: 'One AI model with its prices before the markup',
  request: { params: modelParams },
  responses: { 200: jsonAnswer('The model.', aiModel) },
  errors: { 404: 'No such model.' },
});

export const putAiModel = operation({
  ...facts,
  operationId: 'putAiModel',
  method: 'put',
  path: '/management/v1/ai/models/{id}',
  summary: 'Create or replace an AI model',
  description:
    'perMillion is before the markup. A price whose published value would pass 2^53 - 1 is refused with 400.',
  request: {
    params: modelParams,
    body: jsonBody(aiModelDefinition, {
      displayName: 'Small 2',
      perMillion: {
        input: 250_000,
        output: 1_250_000,
        cacheWrite5m: 300_000,
        cacheWrite1h: 500_000,
        cacheRead: 25_000,
      },
    }),
  },
  responses: { 200: jsonAnswer('The model as stored.', aiModel) },
});

export const deleteAiModel = operation({
  ...facts,
  operationId: 'deleteAiModel',
  method: 'delete',
  path: '/management/v1/ai/models/{id}',
  summary: 'Remove an AI model',
  request: { params: modelParams },
  responses: { 204: deleted },
});

export const getAiMarkup = operation({
  ...facts,
  operationId: 'getAiMarkup',
  method: 'get',
  path: '/management/v1/ai/markup',
  summary: 'The markup on model prices',
  responses: { 200: jsonAnswer('The markup.', aiMarkup, { markupPercent: 20 }) },
});

export const putAiMarkup = operation({
  ...facts,
  operationId: 'putAiMarkup',
  method: 'put',
  path: '/management/v1/ai/markup',
  summary: 'Set the markup on model prices',
  description: 'A markup that would lift a published price past 2^53 - 1 is refused with 400.',
  request: { body: jsonBody(aiMarkup, { markupPercent: 20 }) },
  responses: { 200: jsonAnswer('The markup as stored.', aiMarkup) },
});
