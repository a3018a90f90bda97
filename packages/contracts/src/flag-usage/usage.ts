import { z } from '@hono/zod-openapi';
import { flagKey } from '../fields/ids.ts';
import { managementOf, projectParams } from '../management/common.ts';
import { jsonResponse } from '../operation/bodies.ts';
import { operation } from '../operation/operation.ts';

const evaluations = z.int().min(0);

/** Why a flag is stale: it can probably be removed from the code. */
export const staleness = z
  .object({
    reason: z.enum(['one_variation', 'not_evaluated', 'past_intent']).openapi({
      description:
        'one_variation: it served the same for 14 days. not_evaluated: it served nothing for 14 days. Both require that it did not change for 30 days. past_intent: it is older than its intent allows.',
    }),
    variation: z
      .string()
      .optional()
      .openapi({ description: 'The variation that it served in the last 14 days, if there was one only.' }),
    changedAt: z.iso.datetime().openapi({ description: 'The time of its last change.' }),
  })
  .openapi('FlagStaleness');
export type FlagStaleness = z.infer<typeof staleness>;

export const flagUsage = z
  .object({
    key: z.string(),
    evaluations: evaluations.openapi({ description: 'Today and on the six days before, in UTC.' }),
    lastSeenAt: z.iso.datetime().nullable().openapi({ description: 'null: never evaluated.' }),
    variations: z
      .array(z.object({ variation: z.string(), evaluations, lastSeenAt: z.iso.datetime() }))
      .openapi({ description: 'Includes off, and on for flags without variations. Most frequent first.' }),
    stale: staleness.nullable(),
  })
  .openapi('FlagUsage');
export type FlagUsage = z.infer<typeof flagUsage>;

/** The evaluations of a flag in an hour or on a day, by variation. */
export const flagUsagePoint = z
  .object({ at: z.iso.datetime(), evaluations: z.record(z.string(), evaluations) })
  .openapi('FlagUsagePoint');
export type FlagUsagePoint = z.infer<typeof flagUsagePoint>;

const common = managementOf('flags');

export const listFlagUsage = operation({
  ...common,
  operationId: 'listFlagUsage',
  permission: 'flags.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/flag-usage',
  summary: 'List the usage of the flags of a project',
  description:
    'Counts evaluations of the server and those that SDKs report. Counts arrive within two minutes. Flags with the intent kill_switch or permission are never stale. The other intents allow 40 days from the creation of the flag (release, experiment), 30 (sunset) or 7 (operational).',
  request: { params: z.object(projectParams) },
  responses: {
    200: jsonResponse('Every flag, sorted by key.', z.object({ usage: z.array(flagUsage) }), {
      usage: [
        {
          key: 'new-checkout',
          evaluations: 1200,
          lastSeenAt: '2026-03-01T09:30:00.000Z',
          variations: [{ variation: 'on', evaluations: 1200, lastSeenAt: '2026-03-01T09:30:00.000Z' }],
          stale: { reason: 'one_variation', variation: 'on', changedAt: '2026-01-10T08:00:00.000Z' },
        },
      ],
    }),
  },
});

export const getFlagUsage = operation({
  ...common,
  operationId: 'getFlagUsage',
  permission: 'flags.read',
  method: 'get',
  path: '/management/v1/projects/{projectId}/flags/{key}/usage',
  summary: 'Get the usage of a flag over time',
  description:
    'Hours are kept for 90 days and days for two years. Points without evaluations are omitted. Times are in UTC.',
  request: {
    params: z.object({ ...projectParams, key: flagKey }),
    query: z.object({
      interval: z.enum(['hour', 'day']).default('hour').openapi({ example: 'hour' }),
      days: z.coerce
        .number()
        .int()
        .min(1)
        .max(730)
        .default(7)
        .openapi({ description: 'The number of days, including today.', example: 7 }),
    }),
  },
  responses: {
    200: jsonResponse('The points, oldest first.', z.object({ points: z.array(flagUsagePoint) }), {
      points: [{ at: '2026-03-01T09:00:00.000Z', evaluations: { on: 1100, off: 100 } }],
    }),
  },
  errors: { 404: { description: 'Project or flag not found.', message: 'Flag not found.' } },
});
