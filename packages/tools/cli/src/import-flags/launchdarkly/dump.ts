import { z } from 'zod';

/** The maximum number of flags of a project. */
const MAX_FLAGS = 5_000;

const text = z.string();
const variation = z.int().min(0);

const clause = z.object({
  attribute: text.nullish(),
  op: text,
  values: z.array(z.json()),
  negate: z.boolean().nullish(),
  contextKind: text.nullish(),
});
export type LaunchDarklyClause = z.infer<typeof clause>;

const target = z.object({ values: z.array(text), variation, contextKind: text.nullish() });
export type Target = z.infer<typeof target>;

const served = z.object({
  variation: variation.nullish(),
  rollout: z
    .object({
      variations: z.array(z.object({ variation, weight: z.int().min(0) })),
      bucketBy: text.nullish(),
      contextKind: text.nullish(),
    })
    .nullish(),
});
export type Served = z.infer<typeof served>;

const environment = z.object({
  on: z.boolean(),
  archived: z.boolean().nullish(),
  targets: z.array(target).nullish(),
  contextTargets: z.array(target).nullish(),
  rules: z.array(served.extend({ clauses: z.array(clause) })).nullish(),
  fallthrough: served.nullish(),
  offVariation: variation.nullish(),
  prerequisites: z.array(z.object({ key: text, variation })).nullish(),
});
export type Environment = z.infer<typeof environment>;

const flag = z.object({
  key: text,
  description: text.nullish(),
  archived: z.boolean().nullish(),
  temporary: z.boolean().nullish(),
  variations: z.array(z.object({ value: z.json(), name: text.nullish() })),
  environments: z.record(text, environment),
});
export type LaunchDarklyFlag = z.infer<typeof flag>;

/** The answer of `/api/v2/flags/{project}?summary=0`. */
export const launchDarklyDump = z.object({
  items: z.array(flag).max(MAX_FLAGS),
  totalCount: z.number().nullish(),
});

const segment = z.object({
  key: text,
  name: text.nullish(),
  included: z.array(text).nullish(),
  excluded: z.array(text).nullish(),
  includedContexts: z.array(z.object({ values: z.array(text).nullish() })).nullish(),
  excludedContexts: z.array(z.object({ values: z.array(text).nullish() })).nullish(),
  rules: z.array(z.object({ clauses: z.array(clause), weight: z.number().nullish() })).nullish(),
  unbounded: z.boolean().nullish(),
});
export type LaunchDarklySegment = z.infer<typeof segment>;

/** The answer of `/api/v2/segments/{project}/{environment}`. */
export const launchDarklySegments = z.object({ items: z.array(segment), totalCount: z.number().nullish() });
