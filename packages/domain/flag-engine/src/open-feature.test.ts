import { expect, test } from 'vitest';
import { compileRuleset, evaluateFlag, type Flag, resolve } from './index.ts';
import { flag, user } from './testing/people.ts';

const onlyPro = [{ attribute: 'plan', op: 'eq', value: 'pro' }] as const;
const green = { key: 'green', value: '#0a0', weight: 1 };

test.each<[string, Partial<Flag>, ReturnType<typeof resolve>]>([
  ['on for everyone', {}, { value: true, variant: 'on', reason: 'STATIC' }],
  ['one variation', { variations: [green] }, { value: '#0a0', variant: 'green', reason: 'STATIC' }],
  [
    'a variation without a value',
    { variations: [{ ...green, value: null }] },
    { value: undefined, variant: 'green', reason: 'STATIC' },
  ],
  [
    'several variations',
    { variations: [green, { ...green, key: 'red', weight: 0 }], targeting: onlyPro },
    { value: '#0a0', variant: 'green', reason: 'SPLIT' },
  ],
  ['matching clauses', { targeting: onlyPro }, { value: true, variant: 'on', reason: 'TARGETING_MATCH' }],
  [
    'a prerequisite that is met',
    { prerequisites: [{ flagKey: 'other', variationKey: 'on' }] },
    { value: true, variant: 'on', reason: 'TARGETING_MATCH' },
  ],
  ['disabled', { enabled: false }, { value: false, variant: 'off', reason: 'DISABLED' }],
  [
    'disabled boolean',
    { enabled: false, type: 'boolean' },
    { value: false, variant: 'off', reason: 'DISABLED' },
  ],
  [
    'disabled with boolean variations',
    { enabled: false, variations: [{ ...green, value: true }] },
    { value: false, variant: 'off', reason: 'DISABLED' },
  ],
  [
    'disabled with a text',
    { enabled: false, type: 'string', variations: [green] },
    { value: undefined, variant: 'off', reason: 'DISABLED' },
  ],
  [
    'disabled without a type',
    { enabled: false, variations: [green] },
    { value: false, variant: 'off', reason: 'DISABLED' },
  ],
  [
    'disabled JSON without variations',
    { enabled: false, type: 'json' },
    { value: undefined, variant: 'off', reason: 'DISABLED' },
  ],
  ['outside the rollout', { rolloutPercentage: 0 }, { value: false, variant: 'off', reason: 'SPLIT' }],
  [
    'a clause that is false',
    { targeting: [{ attribute: 'plan', op: 'eq', value: 'free' }] },
    { value: false, variant: 'off', reason: 'DEFAULT' },
  ],
  [
    'a text that does not match',
    { type: 'string', variations: [green], targeting: [{ attribute: 'plan', op: 'eq', value: 'free' }] },
    { value: undefined, variant: 'off', reason: 'DEFAULT' },
  ],
  [
    'a prerequisite that is not met',
    { prerequisites: [{ flagKey: 'missing', variationKey: 'on' }] },
    { value: false, variant: 'off', reason: 'DEFAULT' },
  ],
  ['malformed', { rolloutPercentage: 0.5 }, { value: undefined, variant: 'off', reason: 'ERROR' }],
])('resolves a decision for OpenFeature: %s', (_, rest, expected) => {
  const ruleset = compileRuleset([flag('other'), flag('f', rest)]);
  const decision = evaluateFlag(ruleset, 'f', user({ plan: 'pro' }));
  expect(decision && resolve(ruleset, decision)).toEqual(expected);
});
