const clause = (attribute: string, op: string, value?: unknown) => ({ attribute, op, value });
const on = (more: object) => ({ enabled: true, rolloutPercentage: 100, ...more });
const variations = [
  { key: 'a', value: 'A', weight: 1 },
  { key: 'b', value: 'B', weight: 2 },
];
/** Flags that the language of Unleash can say. */
export const flags: Record<string, object> = {
  'ph-plan': on({ targeting: [clause('plan', 'eq', 'pro')] }),
  'ph-size': on({
    type: 'json',
    variations: [
      { key: 'a', value: { size: 1 }, weight: 1 },
      { key: 'b', value: { size: 2 }, weight: 1 },
    ],
  }),
  'ph-half': on({ rolloutPercentage: 50 }),
  'u-plain': on({}),
  'u-off': on({ enabled: false }),
  'u-none': on({ rolloutPercentage: 0 }),
  'u-third': on({ rolloutPercentage: 33 }),
  'u-\u00e9': on({ targeting: [clause('plan', 'eq', 'pro')] }),
  'u-plan': on({ targeting: [clause('plan', 'eq', 'pro')] }),
  'u-not-plan': on({ targeting: [clause('plan', 'not_in', ['pro', 'team'])], rolloutPercentage: 60 }),
  'u-age': on({ targeting: [clause('age', 'gte', 30), clause('age', 'lt', 60)] }),
  'u-version': on({ targeting: [clause('version', 'gte', '1.10.0')] }),
  'u-version-above': on({ targeting: [clause('version', 'gt', '1.10.0')] }),
  'u-version-to': on({ targeting: [clause('version', 'lte', '1.10.0')] }),
  'u-mail': on({ targeting: [clause('email', 'contains', '@acme')] }),
  'u-group': on({ targeting: [clause('group.company.seats', 'in', [1, 2])] }),
  'u-ids': on({ targeting: [clause('distinct_id', 'in', ['unleash-1', 'unleash-2'])] }),
  'u-variations': on({ type: 'string', variations, rolloutPercentage: 80 }),
  'u-json': on({ type: 'json', variations: [{ key: 'only', value: { size: 3 }, weight: 1 }] }),
  'u-rules': on({
    type: 'string',
    variations,
    rolloutPercentage: 20,
    rules: [
      { targeting: [clause('plan', 'eq', 'pro')], rolloutPercentage: 50, variation: 'b' },
      { targeting: [clause('age', 'gt', 50)] },
    ],
  }),
  'u-needs-on': on({ prerequisites: [{ flagKey: 'u-third', variationKey: 'on' }] }),
  'u-needs-off': on({ prerequisites: [{ flagKey: 'u-third', variationKey: 'off' }] }),
  'u-needs-b': on({ prerequisites: [{ flagKey: 'u-variations', variationKey: 'b' }] }),
  'u-needs-rule': on({ prerequisites: [{ flagKey: 'u-rules', variationKey: 'b' }] }),
};
/** Flags that it cannot say. */
export const omitted: Record<string, object> = {
  'v-set': on({ targeting: [clause('plan', 'is_set')] }),
  'v-since': on({ targeting: [clause('since', 'gt', '2026-01-01')] }),
  'v-blank': on({ targeting: [clause('plan', 'eq', ' pro')] }),
  'v-lowest': on({ targeting: [clause('version', 'gte', '0.0.0-0')] }),
  'v-cohort': on({ targeting: [clause('', 'in_cohort', 'wires')] }),
  'v-\u00e9': on({ rolloutPercentage: 50 }),
  'v-chain': on({ prerequisites: [{ flagKey: 'u-needs-on', variationKey: 'on' }] }),
  'v-needs-set': on({ prerequisites: [{ flagKey: 'v-set', variationKey: 'on' }] }),
};
const VERSIONS = ['1.9.0', '1.10.0-beta.1', '1.10.0', '1.10.0+build', '1.11.0', '2.0.0-0', '10.0.0', 'none'];
/** 1,000 people, of which each flag separates some. */
export const people = Array.from({ length: 1_000 }, (_, n) => ({
  userId: `unleash-${n}`,
  properties: {
    plan: ['free', 'pro', 'team'][n % 3] ?? '',
    age: String(n % 90),
    ...(n % 7 > 0 && { version: VERSIONS[n % VERSIONS.length] ?? '' }),
    email: n % 2 === 0 ? `${n}@acme.example` : `${n}@other.example`,
    'group.company.seats': String(n % 4),
  },
}));

export type Person = (typeof people)[number];
