import { z } from 'zod';

/** The maximum number of flags of a project. */
const MAX_FLAGS = 5_000;

const text = z.string();
const value = z.union([text, z.number(), z.boolean()]).nullish();

const state = z.object({
  feature: z.object({ name: text }),
  enabled: z.boolean(),
  feature_state_value: value,
  feature_segment: z.object({ priority: z.number().nullish() }).nullish(),
  multivariate_feature_state_values: z
    .array(
      z.object({
        id: z.number().nullish(),
        percentage_allocation: z.number().min(0),
        multivariate_feature_option: z.object({ value }),
      }),
    )
    .nullish(),
});
export type FeatureState = z.infer<typeof state>;

const condition = z.object({
  operator: text,
  property_: text.nullish(),
  property: text.nullish(),
  value: z.union([text, z.array(text)]).nullish(),
});
export type Condition = z.infer<typeof condition>;

const rule = z.object({
  type: z.enum(['ALL', 'ANY', 'NONE']),
  conditions: z.array(condition).nullish(),
  get rules() {
    return z.array(rule).nullish();
  },
});
export type Rule = z.infer<typeof rule>;

const segment = z.object({
  id: z.union([z.number(), text]),
  name: text,
  rules: z.array(rule),
  feature_states: z.array(state).nullish(),
});
export type Segment = z.infer<typeof segment>;

/** The answer of `/api/v1/environment-document/`. */
export const environmentDocument = z.object({
  feature_states: z.array(state).max(MAX_FLAGS),
  project: z.object({ segments: z.array(segment).nullish() }),
  identity_overrides: z
    .array(z.object({ identifier: text, identity_features: z.array(state).nullish() }))
    .nullish(),
});
export type EnvironmentDocument = z.infer<typeof environmentDocument>;
