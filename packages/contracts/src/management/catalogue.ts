import { z } from '@hono/zod-openapi';
import { anyJson, checkJson, id, int32, int64, name } from '../fields/fields.ts';
import { cycle, modelId, tier } from '../fields/ids.ts';
import { deleted, jsonBody, jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';
import { managementOf } from './common.ts';

/**
 * The entitlements of a plan or company. The services read these four. Any other property is stored and published.
 */
export const entitlements = z
  .object({
    articleSearch: z.boolean().optional(),
    aiTranslations: z.boolean().optional(),
    aiTranslationBytesPerMonth: int64.min(0).optional(),
    visitorAttachments: z.boolean().optional(),
  })
  .catchall(anyJson)
  .check(checkJson)
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

/** Prices of a model before the markup, in micro-dollars per million tokens. */
export const aiModelDefinition = z
  .object({
    displayName: name(200),
    perMillion: z.object({
      input: price,
      output: price,
      cacheWrite5m: price,
      cacheWrite1h: price,
      cacheRead: price,
    }),
  })
  .openapi('AiModelDefinition', { description: 'Prices are before the markup.' });
export type AiModelDefinition = z.infer<typeof aiModelDefinition>;

export const aiModel = aiModelDefinition.extend({ id }).openapi('AiModel');
export type AiModel = z.infer<typeof aiModel>;

export const aiMarkup = z.object({ markupPercent: z.int().min(0).max(100_000) }).openapi('AiMarkup');
export type AiMarkup = z.infer<typeof aiMarkup>;

const common = managementOf('catalogue');
const planParams = z.object({ tier, cycle });
const modelParams = z.object({ id: modelId });

export const getPlan = operation({
  ...common,
  operationId: 'getPlan',
  permission: 'catalogue.read',
  method: 'get',
  path: '/management/v1/plans/{tier}/{cycle}',
  summary: 'Get a plan',
  request: { params: planParams },
  responses: { 200: jsonResponse('The plan.', plan) },
  errors: { 404: 'Plan not found.' },
});

export const putPlan = operation({
  ...common,
  operationId: 'putPlan',
  permission: 'catalogue.write',
  method: 'put',
  path: '/management/v1/plans/{tier}/{cycle}',
  summary: 'Create or replace a plan',
  description: 'Replacing a plan keeps its position in the public catalogue.',
  request: {
    params: planParams,
    body: jsonBody(planDefinition, { trialDays: 14, priced: true, entitlements: { articleSearch: true } }),
  },
  responses: { 200: jsonResponse('The stored plan.', plan) },
});

export const deletePlan = operation({
  ...common,
  operationId: 'deletePlan',
  permission: 'catalogue.write',
  method: 'delete',
  path: '/management/v1/plans/{tier}/{cycle}',
  summary: 'Delete a plan',
  request: { params: planParams },
  responses: { 204: deleted },
  errors: {
    409: {
      description: 'A company is on this plan.',
      message: 'Company acme is on this plan; move it to another plan first.',
    },
  },
});

export const getAiModel = operation({
  ...common,
  operationId: 'getAiModel',
  permission: 'catalogue.read',
  method: 'get',
  path: '/management/v1/ai/models/{id}',
  summary: 'Get an AI model',
  request: { params: modelParams },
  responses: { 200: jsonResponse('The model.', aiModel) },
  errors: { 404: 'AI model not found.' },
});

export const putAiModel = operation({
  ...common,
  operationId: 'putAiModel',
  permission: 'catalogue.write',
  method: 'put',
  path: '/management/v1/ai/models/{id}',
  summary: 'Create or replace an AI model',
  description: 'Prices are before the markup. A price gets 400 if its published value exceeds 2^53 - 1.',
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
  responses: { 200: jsonResponse('The stored model.', aiModel) },
});

export const deleteAiModel = operation({
  ...common,
  operationId: 'deleteAiModel',
  permission: 'catalogue.write',
  method: 'delete',
  path: '/management/v1/ai/models/{id}',
  summary: 'Delete an AI model',
  request: { params: modelParams },
  responses: { 204: deleted },
});

export const getAiMarkup = operation({
  ...common,
  operationId: 'getAiMarkup',
  permission: 'catalogue.read',
  method: 'get',
  path: '/management/v1/ai/markup',
  summary: 'Get the markup on AI model prices',
  responses: { 200: jsonResponse('The markup.', aiMarkup, { markupPercent: 20 }) },
});

export const putAiMarkup = operation({
  ...common,
  operationId: 'putAiMarkup',
  permission: 'catalogue.write',
  method: 'put',
  path: '/management/v1/ai/markup',
  summary: 'Set the markup on AI model prices',
  description: 'A markup that raises a published price above 2^53 - 1 gets 400.',
  request: { body: jsonBody(aiMarkup, { markupPercent: 20 }) },
  responses: { 200: jsonResponse('The stored markup.', aiMarkup) },
});
