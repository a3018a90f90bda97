import { z } from 'zod';

/** The maximum number of flags of a project. */
const MAX_FLAGS = 5_000;

const text = z.string();
const condition = z.record(text, z.json());

const parent = z.object({ id: text, condition: condition.nullish(), gate: z.boolean().nullish() });

const rule = z.object({
  condition: condition.nullish(),
  parentConditions: z.array(parent).nullish(),
  force: z.json().optional(),
  coverage: z.number().min(0).max(1).nullish(),
  hashAttribute: text.nullish(),
  variations: z.array(z.json()).nullish(),
  weights: z.array(z.number().min(0)).nullish(),
  namespace: z.json().optional(),
  filters: z.array(z.json()).nullish(),
  ranges: z.array(z.json()).nullish(),
  range: z.json().optional(),
});
export type Rule = z.infer<typeof rule>;

/** A feature as GrowthBook's SDKs evaluate it. */
export const definition = z.object({ defaultValue: z.json().optional(), rules: z.array(rule).nullish() });
export type Definition = z.infer<typeof definition>;

const managedRule = z.object({
  type: text,
  enabled: z.boolean().nullish(),
  condition: text.nullish(),
  value: z.json().optional(),
  coverage: z.number().nullish(),
  hashAttribute: text.nullish(),
  savedGroupTargeting: z.array(z.json()).nullish(),
  prerequisites: z.array(z.json()).nullish(),
  scheduleRules: z.array(z.json()).nullish(),
});
export type ManagedRule = z.infer<typeof managedRule>;

const managed = z.object({
  id: text,
  archived: z.boolean().nullish(),
  description: text.nullish(),
  valueType: z.enum(['boolean', 'string', 'number', 'json']),
  defaultValue: text,
  environments: z.record(
    text,
    z.object({
      enabled: z.boolean(),
      defaultValue: text.nullish(),
      rules: z.array(managedRule).nullish(),
      /** The definition for SDKs, as JSON. */
      definition: text.nullish(),
    }),
  ),
});
export type ManagedFeature = z.infer<typeof managed>;

const savedGroups = z.record(text, z.array(z.union([text, z.number()]))).nullish();

const managedPage = z.object({ features: z.array(managed).max(MAX_FLAGS), total: z.number().nullish() });
export type ManagedPage = z.infer<typeof managedPage>;

/** The answer of `/api/v1/features`, or of `/api/features/{clientKey}`, which SDKs read. */
export const growthBookFeatures = z.union([
  managedPage,
  z.object({ features: z.record(text, definition), savedGroups }),
]);
export type FeaturesPage = z.infer<typeof growthBookFeatures>;

/** The answer of `/api/v1/saved-groups`. */
export const growthBookGroups = z.object({
  total: z.number().nullish(),
  savedGroups: z.array(z.object({ id: text, name: text, values: z.array(text).nullish() })),
});
