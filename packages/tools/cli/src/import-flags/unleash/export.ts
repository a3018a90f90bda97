import { z } from 'zod';

/** The maximum number of flags of a project. */
const MAX_FLAGS = 5_000;

const text = z.string();
const segmentId = z.union([z.number(), text]);

const constraint = z.object({
  contextName: text,
  operator: text,
  values: z.array(text).nullish(),
  value: text.nullish(),
  inverted: z.boolean().nullish(),
  caseInsensitive: z.boolean().nullish(),
});
export type Constraint = z.infer<typeof constraint>;

const variant = z.object({
  name: text,
  weight: z.number().min(0),
  payload: z.object({ type: text, value: text }).nullish(),
  stickiness: text.nullish(),
  overrides: z.array(z.object({ contextName: text, values: z.array(text) })).nullish(),
});
export type Variant = z.infer<typeof variant>;

const strategy = z.object({
  id: text.nullish(),
  featureName: text.nullish(),
  environment: text.nullish(),
  name: text,
  title: text.nullish(),
  disabled: z.boolean().nullish(),
  sortOrder: z.number().nullish(),
  parameters: z.record(text, z.union([text, z.number(), z.boolean(), z.null()])).nullish(),
  constraints: z.array(constraint).nullish(),
  segments: z.array(segmentId).nullish(),
  variants: z.array(variant).nullish(),
});
export type Strategy = z.infer<typeof strategy>;

const segment = z.object({ id: segmentId, name: text, constraints: z.array(constraint).nullish() });
export type Segment = z.infer<typeof segment>;

const dependency = z.object({
  feature: text,
  enabled: z.boolean().nullish(),
  variants: z.array(text).nullish(),
});
export type Dependency = z.infer<typeof dependency>;

const feature = z.object({
  name: text,
  description: text.nullish(),
  type: text.nullish(),
  archived: z.boolean().nullish(),
  /** In exports before environments existed. */
  enabled: z.boolean().nullish(),
  strategies: z.array(strategy).nullish(),
  variants: z.array(variant).nullish(),
});

/** The answer of `/api/admin/features-batch/export`, and of the older `/api/admin/state/export`. */
export const unleashExport = z.object({
  features: z.array(feature).max(MAX_FLAGS),
  featureStrategies: z.array(strategy).nullish(),
  featureEnvironments: z
    .array(
      z.object({
        featureName: text,
        environment: text.nullish(),
        enabled: z.boolean(),
        variants: z.array(variant).nullish(),
      }),
    )
    .nullish(),
  segments: z.array(segment).nullish(),
  featureStrategySegments: z.array(z.object({ featureStrategyId: text, segmentId })).nullish(),
  dependencies: z.array(z.object({ feature: text, dependencies: z.array(dependency) })).nullish(),
});
export type UnleashExport = z.infer<typeof unleashExport>;

/** The answer of `/api/admin/segments`. */
export const unleashSegments = z.object({ segments: z.array(segment) });
