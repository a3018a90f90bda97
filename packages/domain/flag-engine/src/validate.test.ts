import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  compileRuleset,
  evaluateAll,
  type Flag,
  type Prerequisite,
  validateCohort,
  validateFlag,
  validateRuleset,
} from './index.ts';
import { flags, users } from './testing/arbitraries.ts';
import { flag } from './testing/people.ts';

const variation = (key: string, value: unknown = 1, weight = 1) => ({ key, value, weight });
const needs = (...list: [string, string][]) => ({
  prerequisites: list.map(([flagKey, variationKey]): Prerequisite => ({ flagKey, variationKey })),
});
const others = [flag('plain'), flag('colour', { variations: [variation('red'), variation('blue', 1, 0)] })];

test.each<[string, Partial<Flag>]>([
  ['a plain flag', {}],
  [
    'values of any type in a flag without a type',
    { variations: [variation('a', 'x'), variation('b', null)] },
  ],
  ['numbers', { type: 'number', variations: [variation('a', 0), variation('b', 1.5)] }],
  ['JSON', { type: 'json', variations: [variation('a', null), variation('b', { a: [] })] }],
  ['weights that sum to 1,000,000', { variations: [variation('a', 1, 999_999), variation('b', 1, 1)] }],
  ['a weight of 0 beside another', { variations: [variation('a', 1, 0), variation('b', 1, 5)] }],
  [
    'prerequisites that others can serve',
    needs(['plain', 'on'], ['plain', 'off'], ['colour', 'blue'], ['colour', 'off']),
  ],
  [
    'rules, one for a variation without weight',
    {
      variations: [variation('a'), variation('b', 1, 0)],
      rules: [
        { name: 'x', targeting: [], rolloutPercentage: 0 },
        { targeting: [], variation: 'b' },
      ],
    },
  ],
])('accepts %s', (_name, rest) => {
  expect(validateFlag(flag('f', rest), others)).toEqual([]);
});

test.each<[string, Partial<Flag>, string, RegExp]>([
  ['a rollout over 100', { rolloutPercentage: 101 }, 'rolloutPercentage', /whole number from 0 to 100/],
  ['a rollout in between', { rolloutPercentage: 0.5 }, 'rolloutPercentage', /whole number/],
  [
    'a negative weight',
    { variations: [variation('a'), variation('b', 1, -1)] },
    'variations[1].weight',
    /negative/,
  ],
  [
    'a rule for an unknown variation',
    { variations: [variation('a')], rules: [{ targeting: [], variation: 'b' }] },
    'rules[0].variation',
    /no variation "b"/,
  ],
  [
    'two rules of one name',
    {
      rules: [
        { name: 'x', targeting: [] },
        { name: 'x', targeting: [] },
      ],
    },
    'rules[1].name',
    /"x"/,
  ],
  [
    'a rule with half a percentage',
    { rules: [{ targeting: [], rolloutPercentage: 0.5 }] },
    'rules[0].rolloutPercentage',
    /whole number/,
  ],
  ['half a weight', { variations: [variation('a', 1, 0.5)] }, 'variations[0].weight', /whole number/],
  ['weights of 0', { variations: [variation('a', 1, 0), variation('b', 1, 0)] }, 'variations', /sum to 0/],
  ['a key twice', { variations: [variation('a'), variation('a')] }, 'variations[1].key', /"a"/],
  [
    'a text for a number',
    { type: 'number', variations: [variation('a', '1')] },
    'variations[0].value',
    /number/,
  ],
  [
    'null for a string',
    { type: 'string', variations: [variation('a', null)] },
    'variations[0].value',
    /string/,
  ],
  [
    'an unknown flag as a prerequisite',
    needs(['plain', 'on'], ['gone', 'on']),
    'prerequisites[1].flagKey',
    /no flag "gone"/,
  ],
  [
    'the variation on of a prerequisite with variations',
    needs(['colour', 'on']),
    'prerequisites[0].variationKey',
    /"off", "red", "blue"/,
  ],
  [
    'a variation of a prerequisite without variations',
    needs(['plain', 'red']),
    'prerequisites[0].variationKey',
    /"off", "on"/,
  ],
  ['a flag as its own prerequisite', needs(['f', 'on']), 'prerequisites[0].flagKey', /cycle: f -> f$/],
  [
    'weights past 1,000,000',
    { variations: [variation('a', 1, 1_000_000), variation('b')] },
    'variations',
    /sum to more/,
  ],
])('refuses %s', (_name, rest, path, problem) => {
  const problems = validateFlag(flag('f', rest), others);
  expect(problems).toEqual([{ path, problem: expect.stringMatching(problem) }]);
});

describe('the cycles of prerequisites', () => {
  test('finds cycles through stored flags', () => {
    const stored = [flag('a', needs(['b', 'on'])), flag('b', needs(['plain', 'on'], ['f', 'on'])), ...others];
    expect(validateFlag(flag('f', needs(['a', 'on'])), stored)).toEqual([
      { path: 'prerequisites[0].flagKey', problem: 'creates a cycle: f -> a -> b -> f' },
    ]);
  });

  test('checks cycles with the new flag, not with the one that it replaces', () => {
    const stored = [flag('f', needs(['a', 'on'])), flag('a')];
    expect(validateFlag(flag('f'), stored)).toEqual([]);
    expect(validateFlag(flag('a', needs(['f', 'on'])), stored)).toHaveLength(1);
  });

  test('ignores cycles that do not include the flag', () => {
    const stored = [flag('a', needs(['b', 'on'])), flag('b', needs(['a', 'on']))];
    expect(validateFlag(flag('f', needs(['a', 'on'])), stored)).toEqual([]);
  });
});

test('checks a whole ruleset entry by entry, including keys', () => {
  const ruleset = [flag('a'), flag('b', { rolloutPercentage: -1 }), flag('a', needs(['b', 'red']))];
  expect(validateRuleset(ruleset).map(({ path }) => path)).toEqual([
    '[0].key',
    '[1].rolloutPercentage',
    '[2].prerequisites[0].variationKey',
  ]);
});

test('accepts only rulesets in which every flag can be evaluated', () => {
  fc.assert(
    fc.property(flags, users, (ruleset, user) => {
      fc.pre(validateRuleset(ruleset).length === 0);
      expect(Object.values(evaluateAll(compileRuleset(ruleset), user).reasons)).not.toContain('ERROR');
    }),
    { numRuns: 200, maxSkipsPerRun: 1000 },
  );
});

test('refuses a cohort that refers to a cohort', () => {
  const match = [
    { attribute: 'a', op: 'is_set' } as const,
    { attribute: 'c', op: 'in_cohort', value: 'b' } as const,
  ];
  expect(validateCohort({ id: 'c', match }).map(({ path }) => path)).toEqual(['match[1].op']);
  expect(validateCohort({ id: 'c', match: match.slice(0, 1) })).toEqual([]);
  expect(validateCohort({ id: 'c' })).toEqual([]);
});
