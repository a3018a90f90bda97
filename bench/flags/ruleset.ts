import type { FlagEntry } from '@switchboard/contracts';

export const FLAG_COUNT = 100;

type Clause = NonNullable<FlagEntry['targeting']>[number];

/**
 * Returns 100 flags: a third with targeting (two clauses each), a quarter with variations, half in partial rollout.
 */
export function benchFlags(): FlagEntry[] {
  return Array.from({ length: FLAG_COUNT }, (_, index): FlagEntry => {
    const hasTargeting = index % 3 === 0;
    const hasVariations = index % 4 === 0;
    return {
      key: `feature-flag-${index}`,
      enabled: index % 10 !== 9,
      rolloutPercentage: index % 2 === 0 ? 100 : 10 + (index % 9) * 10,
      type: hasVariations ? 'string' : 'boolean',
      ...(hasTargeting ? { targeting: targeting(index) } : {}),
      ...(hasVariations ? { variations } : {}),
    };
  });
}

const variations = ['control', 'treatment', 'other'].map((key) => ({
  key,
  value: `${key}-value`,
  weight: 1,
}));

const first: Clause[] = [
  { attribute: 'plan', op: 'in', value: ['pro', 'team', 'enterprise'] },
  { attribute: 'country', op: 'not_in', value: ['US', 'CA'] },
  { attribute: 'group.company.seats', op: 'gte', value: 10 },
  { attribute: '', op: 'in_cohort', value: 'beta' },
];
const second: Clause[] = [
  { attribute: 'appVersion', op: 'gte', value: '2.4.0' },
  { attribute: 'email', op: 'contains', value: '@example.com' },
  { attribute: 'signedUpAt', op: 'lt', value: '2026-01-01T00:00:00Z' },
];

function targeting(index: number): Clause[] {
  return [first[index % first.length], second[index % second.length]].filter(
    (clause) => clause !== undefined,
  );
}

export const benchCohort = {
  name: 'Beta testers',
  match: [{ attribute: 'betaTester', op: 'eq', value: true }],
  distinctIds: Array.from({ length: 100 }, (_, index) => `user-${index * 7}`),
};

export function traitsOf(user: number): Record<string, unknown> {
  return {
    plan: ['free', 'pro', 'team', 'enterprise'][user % 4],
    country: ['DE', 'FR', 'US', 'GB', 'CA'][user % 5],
    email: `user-${user}@${user % 2 === 0 ? 'example.com' : 'example.org'}`,
    appVersion: `${user % 4}.${user % 10}.0`,
    signedUpAt: new Date(Date.UTC(2024, user % 36, 1)).toISOString(),
    betaTester: user % 10 === 0,
    name: `Person number ${user}`,
    locale: 'de-DE',
  };
}
