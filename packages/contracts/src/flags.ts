import { z } from '@hono/zod-openapi';
import { jsonAnswer, notModified } from './bodies.ts';
import { anyJson, id, int32, text, timestamp } from './fields.ts';
import { operation } from './operation.ts';

export const targetingOp = z.enum([
  'eq',
  'neq',
  'in',
  'not_in',
  'contains',
  'gt',
  'gte',
  'lt',
  'lte',
  'is_set',
  'is_not_set',
  'in_cohort',
  'not_in_cohort',
]);
export type TargetingOp = z.infer<typeof targetingOp>;

/** One condition on a person. All clauses of a flag or cohort must hold. */
export const clause = z
  .object({ attribute: text({ max: 200 }), op: targetingOp, value: anyJson.optional() })
  .openapi('Clause', { description: 'A condition on a trait, on distinct_id or on group.<type>.<trait>.' });
export type Clause = z.infer<typeof clause>;

export const variation = z
  .object({ key: id, value: anyJson, weight: int32.min(0) })
  .openapi('Variation', { description: 'A value and its share of those the flag is on for.' });
export type Variation = z.infer<typeof variation>;

export const prerequisite = z
  .object({ flagKey: id, variationKey: id })
  .openapi('Prerequisite', { description: 'What another flag must serve: off, on or a variation key.' });
export type Prerequisite = z.infer<typeof prerequisite>;

export const flagEntry = z
  .object({
    key: id,
    enabled: z.boolean(),
    rolloutPercentage: z.int().min(0).max(100),
    description: text({ max: 1000 }).nullable().optional(),
    type: z.enum(['boolean', 'string', 'number', 'json']).optional(),
    intent: z
      .enum(['release', 'experiment', 'operational', 'kill_switch', 'permission', 'sunset'])
      .optional(),
    targeting: z.array(clause).max(50).optional(),
    variations: z.array(variation).max(50).optional(),
    prerequisites: z.array(prerequisite).max(50).optional(),
  })
  .openapi('FlagEntry');
export type FlagEntry = z.infer<typeof flagEntry>;

export const flagReason = z.enum([
  'DISABLED',
  'PREREQUISITE_FAILED',
  'TARGETING_MISS',
  'ROLLOUT_MISS',
  'MATCH',
  'ERROR',
]);
export type FlagReason = z.infer<typeof flagReason>;

export const flagEvaluation = z
  .object({
    flags: z.record(z.string(), anyJson).openapi({ description: 'The value to use, by flag key.' }),
    variants: z.record(z.string(), z.string()).openapi({ description: 'The variation served, by flag key.' }),
    reasons: z
      .record(z.string(), flagReason)
      .optional()
      .openapi({ description: 'Why, by flag key; with ?reasons=true.' }),
  })
  .openapi('FlagEvaluation');
export type FlagEvaluation = z.infer<typeof flagEvaluation>;

export const flagSnapshot = z
  .object({ flags: z.array(flagEntry), generatedAt: timestamp, socketUrl: z.string() })
  .openapi('FlagSnapshot');
export type FlagSnapshot = z.infer<typeof flagSnapshot>;

const facts = {
  service: 'flags',
  host: 'api',
  credential: 'project-key',
  errorShape: 'A',
  tag: 'Flags',
} as const;

const distinctId = text({ max: 200 }).openapi({
  description: 'The person; empty for nobody in particular.',
  example: 'user-1',
});

const stateHeaders = z.object({
  'X-State': z.enum(['unavailable', 'behind']).optional().openapi({
    description:
      'unavailable: the user state could not be read, and every targeting clause counts as false. behind: what an X-State-Token stands for was not applied within a second; send the token again.',
  }),
  'X-State-As-Of': timestamp.optional().openapi({
    description:
      'With an X-State-Token: when the newest call came in that is applied, of those that share the token’s partition.',
  }),
});

const tokenHeader = z.object({
  'X-State-Token': z.string().optional().openapi({
    example: 'i-2-1x9',
    description:
      'From the answer to /v1/identify or /v1/group; up to 8, separated by commas. Waits up to a second until those calls are applied. One that cannot be read is ignored.',
  }),
});

export const evaluateFlags = operation({
  ...facts,
  operationId: 'evaluateFlags',
  method: 'get',
  path: '/v1/flags',
  summary: 'Every flag of the project, evaluated for a person',
  description:
    'Evaluates in the order enabled, prerequisites, targeting, rollout, variation against the traits, groups and cohorts on file. A flag that is on serves true, or its variation when it has variations; one that is off serves false when its type is boolean or none, else null. A flag that cannot be evaluated is off with reason ERROR and leaves the others as they are.',
  request: {
    headers: tokenHeader,
    query: z.object({
      distinct_id: distinctId,
      reasons: z
        .enum(['true', 'false'])
        .optional()
        .openapi({ description: 'true adds reasons.', example: 'true' }),
    }),
  },
  responses: {
    200: {
      ...jsonAnswer('Every flag of the project.', flagEvaluation, {
        flags: { 'new-checkout': true, 'button-colour': 'green' },
        variants: { 'button-colour': 'green' },
        reasons: { 'new-checkout': 'MATCH', 'button-colour': 'MATCH' },
      }),
      headers: stateHeaders,
    },
  },
});

export const getFlagSnapshot = operation({
  ...facts,
  operationId: 'getFlagSnapshot',
  method: 'get',
  path: '/v1/flags/snapshot',
  summary: 'The full ruleset, for evaluating in the client',
  description:
    'generatedAt is the last change of the ruleset, so body and ETag stay the same until it changes. A client evaluates it by the rules of GET /v1/flags and reaches the same answers. socketUrl is the absolute ws or wss address of /v1/flags/socket, to which the client adds ?api_key=. The server tells {type: "ready", generatedAt} when it is open and {type: "flags_changed", generatedAt} on every change.',
  responses: {
    200: {
      ...jsonAnswer('The ruleset.', flagSnapshot, {
        flags: [
          {
            key: 'button-colour',
            enabled: true,
            rolloutPercentage: 50,
            type: 'string',
            targeting: [{ attribute: 'plan', op: 'in', value: ['pro', 'team'] }],
            variations: [
              { key: 'green', value: '#0a0', weight: 1 },
              { key: 'blue', value: '#00a', weight: 1 },
            ],
          },
        ],
        generatedAt: '2026-03-01T09:30:00.000Z',
        socketUrl: 'wss://api.example.com/v1/flags/socket',
      }),
      headers: z.object({
        ETag: z.string(),
        'Cache-Control': z.string().openapi({ example: 'public, max-age=30, stale-while-revalidate=300' }),
      }),
    },
    304: notModified,
  },
});

export const listMemberships = operation({
  ...facts,
  operationId: 'listMemberships',
  method: 'get',
  path: '/v1/flags/memberships',
  summary: 'The cohorts a person belongs to',
  description: 'Ids of cohorts that name the person or whose clauses all match, sorted.',
  request: { headers: tokenHeader, query: z.object({ distinct_id: distinctId }) },
  responses: {
    200: {
      ...jsonAnswer('Cohort ids, sorted.', z.object({ cohorts: z.array(z.string()) }), {
        cohorts: ['beta-testers'],
      }),
      headers: stateHeaders,
    },
  },
});
