import { z } from '@hono/zod-openapi';
import { anyJson, asSent, text } from './fields/fields.ts';
import { reportedUsage } from './flags.ts';
import { checkTraits } from './ingestion/traits.ts';
import { jsonBody, jsonResponse, notModified } from './operation/bodies.ts';
import { errorBodyOfrep } from './operation/error-responses.ts';
import { operation } from './operation/operation.ts';

/*
 * The OpenFeature Remote Evaluation Protocol, version 0.3: https://github.com/open-feature/protocol.
 */

const context = asSent(
  z
    .object({
      targetingKey: text({ max: 200 }).optional().meta({ description: 'The distinct id of the person.' }),
    })
    .catchall(anyJson)
    .check(checkTraits),
).openapi('OfrepContext', {
  description:
    'The person, and attributes that override their stored traits. An attribute group.<type>.<trait> overrides that trait of their group. Without targetingKey, or with an empty one, the response is 400 TARGETING_KEY_MISSING.',
});

export const ofrepRequest = z.object({ context: context.optional() }).openapi('OfrepRequest');

const key = text({ max: 1000 }).openapi({ description: 'The key of the flag.', example: 'new-checkout' });

export const ofrepReason = z.enum(['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED']);

export const ofrepEvaluation = z
  .object({
    key,
    value: z.unknown().optional().openapi({
      description:
        'false if the flag is off and its type is boolean or absent. Absent if the default in the code applies.',
    }),
    reason: ofrepReason,
    variant: z.string().openapi({ description: 'The key of the variation, or on or off.' }),
    metadata: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .optional()
      .openapi({
        description: 'reason: why the flag is off, as in GET /v1/flags. rule: the rule that decided.',
      }),
  })
  .openapi('OfrepEvaluation');
export type OfrepEvaluation = z.infer<typeof ofrepEvaluation>;

export const ofrepEventStream = z
  .object({ type: z.literal('sse'), url: z.string(), inactivityDelaySec: z.int() })
  .openapi('OfrepEventStream');
export type OfrepEventStream = z.infer<typeof ofrepEventStream>;

export const ofrepBulkEvaluation = z
  .object({
    flags: z.array(z.union([ofrepEvaluation, errorBodyOfrep])),
    eventStreams: z.array(ofrepEventStream),
    metadata: z.object({ generatedAt: z.string() }),
  })
  .openapi('OfrepBulkEvaluation');
export type OfrepBulkEvaluation = z.infer<typeof ofrepBulkEvaluation>;

const common = {
  service: 'flags',
  host: 'api',
  credential: 'project-key',
  errorShape: 'ofrep',
  tag: 'OpenFeature',
} as const;

const apiKey = z.string().optional().openapi({
  description: 'The project key, instead of Authorization.',
  example: 'pk_eu_0123456789abcdefghijklmnopqrstuv',
});

const requestBody = jsonBody(ofrepRequest, { context: { targetingKey: 'user-1', plan: 'pro' } });

const invalidRequest = {
  description: 'The body is not JSON, the targeting key is missing, or the context is invalid.',
  message: {
    TARGETING_KEY_MISSING: 'context.targetingKey: required. Send the distinct id of the person.',
    INVALID_CONTEXT: 'context.targetingKey: longer than 200 characters',
    PARSE_ERROR: 'body: not valid JSON',
  },
};

const stateHeaders = z.object({
  'X-State': z.enum(['unavailable']).optional().openapi({
    description: 'unavailable: user state could not be read, so no targeting clause matched.',
  }),
});

export const evaluateOfrepFlag = operation({
  ...common,
  operationId: 'evaluateOfrepFlag',
  method: 'post',
  path: '/ofrep/v1/evaluate/flags/{key}',
  summary: 'Evaluate a flag through OFREP',
  description:
    'Evaluates one flag as GET /v1/flags does, with the attributes of the context overriding the stored user state. A flag that is off is false; if its type is not boolean, it has no value, and the default in the code applies.',
  request: {
    params: z.object({ key }),
    headers: z.object({ 'X-API-Key': apiKey }),
    body: requestBody,
  },
  responses: {
    200: {
      ...jsonResponse('The evaluated flag.', ofrepEvaluation, {
        key: 'new-checkout',
        value: true,
        reason: 'TARGETING_MATCH',
        variant: 'on',
      }),
      headers: stateHeaders,
    },
  },
  errors: {
    400: invalidRequest,
    404: { description: 'The flag does not exist.', message: { FLAG_NOT_FOUND: 'There is no flag beta.' } },
  },
});

export const evaluateOfrepFlags = operation({
  ...common,
  operationId: 'evaluateOfrepFlags',
  method: 'post',
  path: '/ofrep/v1/evaluate/flags',
  summary: 'Evaluate all flags through OFREP',
  description:
    'Evaluates every flag for one context. eventStreams names a stream of changes. A request with the flagConfigEtag of an event gets the result of that ruleset or a newer one.',
  request: {
    headers: z.object({
      'X-API-Key': apiKey,
      'If-None-Match': z.string().optional().openapi({ example: '"vK3hAbdgzJ0p5jZlk2vXNn8c3Qw"' }),
    }),
    query: z.object({
      flagConfigEtag: text({ max: 200 }).optional().openapi({
        description: 'The etag of the event that caused this request.',
        example: '2026-03-01T09:30:00.000Z',
      }),
      flagConfigLastModified: text({ max: 200 }).optional().openapi({
        description: 'Ignored: flagConfigEtag is more exact.',
        example: '1772357400',
      }),
      usage: reportedUsage,
    }),
    body: requestBody,
  },
  responses: {
    200: {
      ...jsonResponse('The evaluated flags.', ofrepBulkEvaluation, {
        flags: [
          { key: 'beta', value: false, reason: 'DISABLED', variant: 'off', metadata: { reason: 'DISABLED' } },
          { key: 'button-colour', value: '#0a0', reason: 'SPLIT', variant: 'green' },
          { key: 'new-checkout', value: true, reason: 'TARGETING_MATCH', variant: 'on' },
        ],
        eventStreams: [
          {
            type: 'sse',
            url: 'https://api.example.com/ofrep/v1/changes?api_key=pk_eu_0123456789abcdefghijklmnopqrstuv',
            inactivityDelaySec: 120,
          },
        ],
        metadata: { generatedAt: '2026-03-01T09:30:00.000Z' },
      }),
      headers: stateHeaders.extend({ ETag: z.string() }),
    },
    304: notModified,
  },
  errors: { 400: invalidRequest },
});

export const streamFlagChanges = operation({
  ...common,
  operationId: 'streamFlagChanges',
  method: 'get',
  path: '/ofrep/v1/changes',
  summary: 'Stream flag changes',
  description:
    'Server-sent events. Each has the data {type: "refetchEvaluation", etag, lastModified} and, as its id, the time of the change. One is sent immediately, unless Last-Event-ID is the last change.',
  request: {
    headers: z.object({
      'X-API-Key': apiKey,
      'Last-Event-ID': z.string().optional().openapi({ example: '2026-03-01T09:30:00.000Z' }),
    }),
    query: z.object({
      api_key: text({ max: 200 }).optional().openapi({
        description: 'The project key, since an EventSource cannot set headers.',
        example: 'pk_eu_0123456789abcdefghijklmnopqrstuv',
      }),
    }),
  },
  responses: {
    200: {
      description: 'Events until the client or the server closes the stream.',
      content: { 'text/event-stream': { schema: z.string() } },
    },
  },
  errors: { 429: 'Too many connections from your address or project. Retry after the time in Retry-After.' },
});
