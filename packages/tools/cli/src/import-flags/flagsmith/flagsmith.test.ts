import { expect, test } from 'vitest';
import { valueFor } from '../testing/value-for.ts';
import { fromFlagsmith } from './flagsmith.ts';

const state = (name: string, more: object = {}) => ({
  feature: { id: 1, name, type: 'STANDARD' },
  enabled: true,
  feature_state_value: null,
  multivariate_feature_state_values: [],
  feature_segment: null,
  ...more,
});
const condition = (property_: string, operator: string, value: string | null = null) => ({
  property_,
  operator,
  value,
});
const rule = (type: string, conditions: object[], rules: object[] = []) => ({ type, conditions, rules });
const segment = (id: number, rules: object[], states: object[] = []) => ({
  id,
  name: `Segment ${id}`,
  rules,
  feature_states: states,
});
const convert = (states: object[], segments: object[] = [], overrides: object[] = []) =>
  fromFlagsmith({
    source: JSON.stringify({
      api_key: 'key',
      feature_states: states,
      project: { segments },
      identity_overrides: overrides,
    }),
    place: 'environment.json',
  });
const valuesFor = (conversion: ReturnType<typeof convert>, all: object[]) =>
  all.map((traits) => valueFor(conversion, { traits }));

test('features without values become boolean flags, others serve their value', () => {
  const { flags, warnings } = convert([
    state('plain'),
    state('off', { enabled: false }),
    state('size', { feature_state_value: 10 }),
    state('banner', { enabled: false, feature_state_value: 'Sale' }),
  ]);
  expect(flags).toEqual([
    { key: 'plain', enabled: true, type: 'boolean', rolloutPercentage: 100 },
    { key: 'off', enabled: false, type: 'boolean', rolloutPercentage: 100 },
    {
      key: 'size',
      enabled: true,
      type: 'number',
      rolloutPercentage: 100,
      variations: [{ key: '10', value: 10, weight: 1 }],
    },
    {
      key: 'banner',
      enabled: false,
      type: 'string',
      rolloutPercentage: 100,
      variations: [{ key: 'Sale', value: 'Sale', weight: 1 }],
    },
  ]);
  expect(warnings).toEqual([]);
});

test('percentages of a multivariate feature become weights, with the rest for its own value', () => {
  const options = [
    { id: 2, percentage_allocation: 20, multivariate_feature_option: { value: 'b' } },
    { id: 1, percentage_allocation: 12.5, multivariate_feature_option: { value: 'a' } },
  ];
  const { flags, warnings } = convert([
    state('x', { feature_state_value: 'control', multivariate_feature_state_values: options }),
  ]);
  expect(flags[0]?.variations).toEqual([
    { key: 'control', value: 'control', weight: 675_000 },
    { key: 'a', value: 'a', weight: 125_000 },
    { key: 'b', value: 'b', weight: 200_000 },
  ]);
  expect(warnings).toEqual([{ key: 'x', message: 'its percentages now include other people' }]);
});

test('overrides of people come before those of segments, which have a priority', () => {
  const inSegment = (id: number, trait: string, priority: number, more: object) =>
    segment(
      id,
      [rule('ALL', [], [rule('ANY', [condition(trait, 'EQUAL', 'yes')])])],
      [state('x', { feature_segment: { priority }, ...more })],
    );
  const converted = convert(
    [state('x', { feature_state_value: 'everyone' })],
    [
      inSegment(1, 'late', 2, { feature_state_value: 'second' }),
      inSegment(2, 'early', 1, { feature_state_value: 'first' }),
      inSegment(3, 'never', 0, { enabled: false }),
    ],
    [
      { identifier: 'ada', identity_features: [state('x', { feature_state_value: 'own' })] },
      { identifier: 'bob', identity_features: [state('x', { enabled: false })] },
    ],
  );
  const all = { early: 'yes', late: 'yes' };
  const cases: [string, object, unknown][] = [
    ['ada', { ...all, never: 'yes' }, 'own'],
    ['bob', all, null],
    ['eve', all, 'first'],
    ['eve', { late: 'yes' }, 'second'],
    ['eve', { ...all, never: 'yes' }, null],
    ['eve', {}, 'everyone'],
  ];
  for (const [distinctId, traits, expected] of cases)
    expect(valueFor(converted, { distinctId, traits })).toBe(expected);
  expect(converted.leftOut).toEqual([]);
});

test('a feature that is on only for a segment stays off for others', () => {
  const on = segment(1, [rule('ALL', [condition('plan', 'EQUAL', 'pro')])], [state('x')]);
  const converted = convert([state('x', { enabled: false })], [on]);
  expect(valuesFor(converted, [{ plan: 'pro' }, {}])).toEqual([true, false]);
});

test('a percentage in a segment divides its people', () => {
  const half = [{ id: 1, percentage_allocation: 50, multivariate_feature_option: { value: 'b' } }];
  const split = (allocation: object[]) =>
    convert(
      [state('x', { feature_state_value: 'a' })],
      [
        segment(
          1,
          [rule('ALL', [condition('plan', 'EQUAL', 'pro')])],
          [state('x', { feature_state_value: 'c', multivariate_feature_state_values: allocation })],
        ),
      ],
    );
  const converted = split(half);
  const served = Array.from({ length: 1_000 }, (_, n) =>
    valueFor(converted, { distinctId: `person-${n}`, traits: { plan: 'pro' } }),
  );
  expect(new Set(served)).toEqual(new Set(['b', 'c']));
  expect(Math.abs(served.filter((one) => one === 'b').length - 500)).toBeLessThan(60);
  expect(valueFor(converted, {})).toBe('a');
  expect(split([{ ...half[0], percentage_allocation: 0.5 }]).leftOut).toEqual([
    { key: 'x', reason: 'fractions of a percent for a segment' },
  ]);
});

test.each([
  [[rule('ALL', [condition('a', 'EQUAL', '1')])], [{ a: 1 }, { a: 2 }, {}], [true, false, false]],
  [[rule('ALL', [condition('a', 'NOT_EQUAL', '1')])], [{ a: 2 }, { a: 1 }, {}], [true, false, false]],
  [[rule('ALL', [condition('a', 'GREATER_THAN', '3')])], [{ a: 4 }, { a: 3 }], [true, false]],
  [
    [rule('ALL', [condition('a', 'LESS_THAN_INCLUSIVE', '1.2.0:semver')])],
    [{ a: '1.2.0' }, { a: '1.10.0' }],
    [true, false],
  ],
  [[rule('ALL', [condition('a', 'EQUAL', '1.2.0:semver')])], [{ a: '1.2.0' }, { a: '1.2.1' }], [true, false]],
  [[rule('ALL', [condition('a', 'CONTAINS', 'x')])], [{ a: 'axb' }, { a: 'b' }], [true, false]],
  [[rule('ALL', [condition('a', 'IN', 'x,y')])], [{ a: 'y' }, { a: 'x,y' }], [true, false]],
  [[rule('ALL', [condition('a', 'IN', '["x","y"]')])], [{ a: 'y' }, { a: 'z' }], [true, false]],
  [[rule('ALL', [condition('a', 'IS_NOT_SET')])], [{}, { a: 1 }], [true, false]],
  [[rule('ALL', [condition('$.identity.identifier', 'IN', 'ada,bob')])], [{}], [true]],
  [
    [rule('NONE', [condition('a', 'EQUAL', '1'), condition('b', 'IN', '2')])],
    [{}, { a: 1 }, { b: 2 }],
    [true, false, false],
  ],
  [
    [
      rule(
        'ALL',
        [condition('a', 'EQUAL', '1')],
        [rule('ANY', [condition('b', 'EQUAL', '1'), condition('c', 'EQUAL', '1')])],
      ),
    ],
    [{ a: 1, b: 1 }, { a: 1, c: 1 }, { a: 1 }, { b: 1 }],
    [true, true, false, false],
  ],
])('the segment %j contains the same people', (rules, people, expected) => {
  const converted = convert([state('x', { enabled: false })], [segment(1, rules, [state('x')])]);
  expect(converted.leftOut).toEqual([]);
  expect(valuesFor(converted, people)).toEqual(expected);
});

test.each([
  [rule('ALL', [condition('a', 'REGEX', '^x')]), 'the operator REGEX'],
  [rule('ALL', [condition('a', 'MODULO', '2|0')]), 'the operator MODULO'],
  [rule('ALL', [condition('a', 'PERCENTAGE_SPLIT', '10')]), 'a percentage'],
  [rule('NONE', [condition('a', 'CONTAINS', 'x')]), 'NONE of CONTAINS'],
  [rule('ALL', [condition('a', 'GREATER_THAN', 'x')]), 'GREATER_THAN with x, which is not a number'],
  [rule('ALL', [condition('$.environment.name', 'EQUAL', 'x')]), 'the property $.environment.name'],
  [rule('ALL', []), 'a rule for everyone'],
])('leaves out a feature with the segment rule %j', (one, reason) => {
  const { flags, leftOut } = convert([state('x')], [segment(1, [one], [state('x')])]);
  expect([flags, leftOut]).toEqual([[], [{ key: 'x', reason: `the segment Segment 1, with ${reason}` }]]);
});
