import { z } from '@hono/zod-openapi';
import { anyJson, exactJson, id, int32, name, text, timestamp } from './fields/fields.ts';
import { jsonResponse, notModified } from './operation/bodies.ts';
import { operation } from './operation/operation.ts';

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

/** A condition on a person. All clauses of a flag or cohort must match. */
export const clause = z
  .object({ attribute: text({ max: 200 }), op: targetingOp, value: exactJson.optional() })
  .openapi('Clause', { description: 'A condition on a trait, distinct_id or group.<type>.<trait>.' });
export type Clause = z.infer<typeof clause>;

/** Warnings about clauses of a completed request that are probably a mistake. */
export const warnings = z
  .array(z.string())
  .optional()
  .openapi({
    description: 'Clauses that are probably mistakes, each with its path. Absent if there are none.',
    example: [
      'targeting[0].value: compared as a number, so 1.10 is less than 1.9; write 1.10.0 to compare versions',
    ],
  });

export const variation = z
  .object({ key: id, value: exactJson, weight: int32.min(0) })
  .openapi('Variation', { description: 'A value and its weight among the people the flag is on for.' });
export type Variation = z.infer<typeof variation>;

export const prerequisite = z.object({ flagKey: id, variationKey: id }).openapi('Prerequisite', {
  description: 'The value that another flag must serve: off, on or the key of a variation.',
});
export type Prerequisite = z.infer<typeof prerequisite>;

const rolloutPercentage = z.int().min(0).max(100);

export const flagRule = z
  .object({
    name: name(200).optional(),
    targeting: z.array(clause).max(50),
    rolloutPercentage: rolloutPercentage.optional().openapi({ description: 'Absent means 100.' }),
    variation: id
      .optional()
      .openapi({ description: 'The key of the variation to serve. Absent means one by weight.' }),
  })
  .openapi('FlagRule', {
    description: 'Includes the people who match every clause and are in the rollout.',
  });
export type FlagRule = z.infer<typeof flagRule>;

export const flagEntry = z
  .object({
    key: name(200),
    enabled: z.boolean(),
    rolloutPercentage,
    description: text({ max: 1000 }).nullable().optional(),
    type: z.enum(['boolean', 'string', 'number', 'json']).optional(),
    intent: z
      .enum(['release', 'experiment', 'operational', 'kill_switch', 'permission', 'sunset'])
      .optional(),
    rules: z.array(flagRule).max(50).optional().openapi({
      description:
        'The first rule that includes a person turns the flag on for them. Without one, targeting and rolloutPercentage decide.',
    }),
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
    flags: z.record(z.string(), anyJson).openapi({ description: 'Value of each flag, by flag key.' }),
    variants: z
      .record(z.string(), z.string())
      .openapi({ description: 'Key of the variation served, by flag key.' }),
    reasons: z
      .record(z.string(), flagReason)
      .optional()
      .openapi({ description: 'Reason for each value, by flag key. Returned with reasons=true.' }),
    rules: z.record(z.string(), z.string()).optional().openapi({
      description:
        'The rule that decided, by flag key: its name, or its path such as rules[1]. Returned with reasons=true.',
    }),
  })
  .openapi('FlagEvaluation');
export type FlagEvaluation = z.infer<typeof flagEvaluation>;

export const flagSnapshot = z
  .object({ flags: z.array(flagEntry), generatedAt: timestamp, socketUrl: z.string() })
  .openapi('FlagSnapshot');
export type FlagSnapshot = z.infer<typeof flagSnapshot>;

const common = {
  service: 'flags',
  host: 'api',
  credential: 'project-key',
  errorShape: 'A',
  tag: 'Flags',
} as const;

const distinctId = text({ max: 200 })
  .refine((value) => value === '' || value.trim() !== '', 'only white space')
  .openapi({
    description: 'The id of the person. Empty for an unknown person.',
    example: 'user-1',
  });

const stateHeaders = z.object({
  'X-State': z.enum(['unavailable', 'behind']).optional().openapi({
    description:
      'unavailable: user state could not be read, so no targeting clause matched. behind: the call of an X-State-Token was not applied within a second; send the token again.',
  }),
  'X-State-As-Of': timestamp.optional().openapi({
    description:
      'With an X-State-Token: the arrival time of the newest applied call in the partition of the token.',
  }),
});

const tokenHeader = z.object({
  'X-State-Token': z.string().optional().openapi({
    example: 'i-2-1x9',
    description:
      'Tokens returned by /v1/identify or /v1/group, up to 8, separated by commas. The request waits up to a second for those calls to be applied. Unreadable tokens are ignored.',
  }),
});

/** The parameter of a client that reports usage by itself. */
export const reportedUsage = z.enum(['reported']).optional().openapi({
  description:
    'Set to reported if the client reports what it uses with POST /v1/flags/usage. The server then does not count this request.',
  example: 'reported',
});

export const evaluateFlags = operation({
  ...common,
  operationId: 'evaluateFlags',
  method: 'get',
  path: '/v1/flags',
  summary: 'Evaluate all flags for a person',
  description:
    'Evaluates enabled, prerequisites, rules, targeting, rollout and variations, in that order, against the traits, groups and cohorts on file. A flag that is on has the value of its variation, or true without variations. A flag that is off has the value false if its type is boolean or absent, and null otherwise. A flag that cannot be evaluated is off with the reason ERROR and does not affect other flags.',
  request: {
    headers: tokenHeader,
    query: z.object({
      distinct_id: distinctId,
      reasons: z
        .enum(['true', 'false'])
        .optional()
        .openapi({ description: 'Set to true to return reasons.', example: 'true' }),
      usage: reportedUsage,
    }),
  },
  responses: {
    200: {
      ...jsonResponse('The evaluated flags.', flagEvaluation, {
        flags: { 'new-checkout': true, 'button-colour': 'green' },
        variants: { 'button-colour': 'green' },
        reasons: { 'new-checkout': 'MATCH', 'button-colour': 'MATCH' },
        rules: { 'button-colour': 'Staff' },
      }),
      headers: stateHeaders,
    },
  },
});

export const getFlagSnapshot = operation({
  ...common,
  operationId: 'getFlagSnapshot',
  method: 'get',
  path: '/v1/flags/snapshot',
  summary: 'Get the flag ruleset for local evaluation',
  description:
    'Evaluating the ruleset locally gives the same result as GET /v1/flags. generatedAt is the time of the last change; body and ETag stay the same until then. socketUrl is the WebSocket URL of live changes: append ?api_key= and the project key. The server sends {type: "ready", generatedAt} when the socket opens and {type: "flags_changed", generatedAt} on every change.',
  responses: {
    200: {
      ...jsonResponse('The ruleset.', flagSnapshot, {
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
  ...common,
  operationId: 'listMemberships',
  method: 'get',
  path: '/v1/flags/memberships',
  summary: 'List the cohorts of a person',
  description: 'Returns the ids of the cohorts that list the person or match with all of their clauses.',
  request: { headers: tokenHeader, query: z.object({ distinct_id: distinctId }) },
  responses: {
    200: {
      ...jsonResponse('Cohort ids, sorted.', z.object({ cohorts: z.array(z.string()) }), {
        cohorts: ['beta-testers'],
      }),
      headers: stateHeaders,
    },
  },
});
