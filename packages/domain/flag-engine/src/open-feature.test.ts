import { expect, test } from 'vitest';
import { compileRuleset, evaluateFlag, type Flag, type Resolution, resolve } from './index.ts';
import { flag, user } from './testing/people.ts';

const onlyPro = [{ attribute: 'plan', op: 'eq', value: 'pro' }] as const;
const green = { key: 'green', value: '#0a0', weight: 1 };

test.each<[string, Partial<Flag>, Omit<Resolution, 'rule'> & Partial<Resolution>]>([
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
  [
    'a rule that names a variation',
    { variations: [green, { ...green, key: 'red' }], rules: [{ targeting: onlyPro, variation: 'red' }] },
    { value: '#0a0', variant: 'red', reason: 'TARGETING_MATCH', rule: 'rules[0]' },
  ],
  [
    'a rule that serves by weight',
    {
      variations: [green, { ...green, key: 'red', weight: 0 }],
      rules: [{ name: 'Pro', targeting: onlyPro }],
    },
    { value: '#0a0', variant: 'green', reason: 'SPLIT', rule: 'Pro' },
  ],
  [
    'a rule for everyone',
    { rules: [{ targeting: [] }], targeting: onlyPro },
    { value: true, variant: 'on', reason: 'STATIC', rule: 'rules[0]' },
  ],
  [
    'a rule after one that the hash missed',
    { rules: [{ targeting: [], rolloutPercentage: 0 }, { targeting: [] }] },
    { value: true, variant: 'on', reason: 'SPLIT', rule: 'rules[1]' },
  ],
  [
    'the targeting of a flag after a rule that missed',
    { rules: [{ targeting: [{ attribute: 'plan', op: 'eq', value: 'free' }] }] },
    { value: true, variant: 'on', reason: 'TARGETING_MATCH' },
  ],
  [
    'a rule for an unknown variation',
    { variations: [green], rules: [{ targeting: [], variation: 'red' }] },
    { value: undefined, variant: 'off', reason: 'ERROR' },
  ],
  ['malformed', { rolloutPercentage: 0.5 }, { value: undefined, variant: 'off', reason: 'ERROR' }],
])('resolves a decision for OpenFeature: %s', (_, rest, expected) => {
  const ruleset = compileRuleset([flag('other'), flag('f', rest)]);
  const person = user({ plan: 'pro' });
  const decision = evaluateFlag(ruleset, 'f', person);
  expect(decision && resolve(ruleset, decision, person)).toEqual(expected);
});
