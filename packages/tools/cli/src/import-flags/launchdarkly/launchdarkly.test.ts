import { expect, test } from 'vitest';
import { valueFor } from '../testing/value-for.ts';
import { fromLaunchDarkly } from './launchdarkly.ts';

const BOOLEANS = [{ value: true }, { value: false }];
const COLOURS = ['red', 'green', 'blue'].map((value) => ({ value, name: value.toUpperCase() }));
const clause = (attribute: string, op: string, values: unknown[], more: object = {}) => ({
  contextKind: 'user',
  attribute,
  op,
  values,
  negate: false,
  ...more,
});
const rollout = (...weights: number[]) => ({
  rollout: { variations: weights.map((weight, variation) => ({ variation, weight })) },
});

/** Converts flags. Each is on and serves its first variation, except for these differences. */
function convert(
  flags: Record<string, { variations?: object[]; [property: string]: unknown }>,
  segments?: object[],
) {
  const items = Object.entries(flags).map(([key, { variations = BOOLEANS, ...here }]) => ({
    key,
    name: key,
    kind: 'boolean',
    variations,
    environments: { production: { on: true, offVariation: 1, fallthrough: { variation: 0 }, ...here } },
  }));
  return fromLaunchDarkly({
    source: JSON.stringify({ items, totalCount: items.length }),
    place: 'flags.json',
    ...(segments && { segments: { source: JSON.stringify({ items: segments }), place: 'segments.json' } }),
  });
}

const valuesFor = (conversion: ReturnType<typeof convert>, all: object[]) =>
  all.map((traits) => valueFor(conversion, { traits }));

test('a flag that targets and rules turn on becomes a boolean flag', () => {
  const { flags, warnings, leftOut } = convert({
    x: {
      targets: [{ values: ['ada', 'bob'], variation: 0, contextKind: 'user' }],
      contextTargets: [{ values: [], variation: 0, contextKind: 'user' }],
      rules: [{ variation: 0, clauses: [clause('plan', 'in', ['pro'])] }],
      fallthrough: rollout(20_000, 80_000),
    },
  });
  expect(flags).toEqual([
    {
      key: 'x',
      enabled: true,
      type: 'boolean',
      rules: [
        { targeting: [{ attribute: 'distinct_id', op: 'in', value: ['ada', 'bob'] }] },
        { targeting: [{ attribute: 'plan', op: 'in', value: ['pro'] }] },
      ],
      rolloutPercentage: 20,
    },
  ]);
  expect([warnings, leftOut]).toEqual([
    [{ key: 'x', message: 'its percentages now include other people' }],
    [],
  ]);
});

test('a flag that also serves false keeps its order of rules', () => {
  const converted = convert({
    x: {
      targets: [{ values: ['bob'], variation: 1 }],
      rules: [
        { variation: 1, clauses: [clause('plan', 'in', ['free'])] },
        { variation: 0, clauses: [clause('country', 'in', ['de'])] },
      ],
      fallthrough: { variation: 1 },
    },
  });
  expect(valuesFor(converted, [{ plan: 'free', country: 'de' }, { country: 'de' }, {}])).toEqual([
    false,
    true,
    false,
  ]);
  expect(valueFor(converted, { distinctId: 'bob', traits: { country: 'de' } })).toBe(false);
});

test('a percentage in a rule divides the people of the rule among its variations', () => {
  const converted = convert({
    x: {
      variations: COLOURS,
      offVariation: null,
      rules: [{ ...rollout(20_000, 30_000, 50_000), clauses: [clause('plan', 'in', ['pro'])] }],
      fallthrough: { variation: 2 },
    },
  });
  const counts = { red: 0, green: 0, blue: 0 };
  for (let n = 0; n < 2_000; n++) {
    const value = valueFor(converted, { distinctId: `person-${n}`, traits: { plan: 'pro' } });
    if (value === 'red' || value === 'green' || value === 'blue') counts[value]++;
    expect(valueFor(converted, { distinctId: `person-${n}` })).toBe('blue');
  }
  expect(counts.red / 2_000).toBeCloseTo(0.2, 1);
  expect(counts.green / 2_000).toBeCloseTo(0.3, 1);
  expect(counts.red + counts.green + counts.blue).toBe(2_000);
  expect(converted.flags[0]?.variations).toEqual([
    { key: 'RED', value: 'red', weight: 0 },
    { key: 'GREEN', value: 'green', weight: 0 },
    { key: 'BLUE', value: 'blue', weight: 1 },
  ]);
});

test('weights of less than a percent stay exact in the default rule', () => {
  const { flags } = convert({ x: { fallthrough: rollout(12_500, 87_500) } });
  expect(flags[0]?.variations?.map(({ key, weight }) => [key, weight])).toEqual([
    ['true', 12_500],
    ['false', 87_500],
  ]);
});

test.each([
  ['in', clause('n', 'in', [1, 2]), [{ n: 1 }, { n: 3 }, {}], [true, false, false]],
  ['not in', clause('n', 'in', [1], { negate: true }), [{ n: 2 }, { n: 1 }, {}], [true, false, false]],
  [
    'contains',
    clause('mail', 'contains', ['@a', '@b']),
    [{ mail: 'x@b' }, { mail: 'x' }, {}],
    [true, false, false],
  ],
  [
    'not contains',
    clause('mail', 'contains', ['@a'], { negate: true }),
    [{ mail: 'x@b' }, { mail: 'x@a' }, {}],
    [true, false, false],
  ],
  ['greaterThan', clause('n', 'greaterThan', [3]), [{ n: 4 }, { n: 3 }, {}], [true, false, false]],
  [
    'not lessThan',
    clause('n', 'lessThan', [3], { negate: true }),
    [{ n: 3 }, { n: 2 }, {}],
    [true, false, false],
  ],
  ['semVerEqual', clause('v', 'semVerEqual', ['2.1']), [{ v: '2.1.0' }, { v: '2.1.1' }], [true, false]],
  ['semVerLessThan', clause('v', 'semVerLessThan', ['2']), [{ v: '1.9.0' }, { v: '2.0.0' }], [true, false]],
  [
    'before',
    clause('at', 'before', ['2026-01-01T00:00:00Z']),
    [{ at: '2025-12-31' }, { at: '2026-01-01' }],
    [true, false],
  ],
  ['the attribute of a group', clause('plan', 'in', ['pro'], { contextKind: 'company' }), [{}], [true]],
  ['the key', clause('key', 'in', ['ada']), [{}], [true]],
  ['a reference', clause('/plan', 'in', ['pro']), [{ plan: 'pro' }, {}], [true, false]],
])('the operator %s matches the same people', (_, one, people, expected) => {
  const converted = convert({
    x: { rules: [{ variation: 0, clauses: [one] }], fallthrough: { variation: 1 } },
  });
  expect(converted.leftOut).toEqual([]);
  expect(valuesFor(converted, people)).toEqual(expected);
});

test('segments become cohorts', () => {
  const converted = convert(
    {
      x: {
        rules: [{ variation: 0, clauses: [clause('', 'segmentMatch', ['beta'])] }],
        fallthrough: { variation: 1 },
      },
      y: {
        rules: [{ variation: 0, clauses: [clause('', 'segmentMatch', ['beta'], { negate: true })] }],
        fallthrough: { variation: 1 },
      },
    },
    [
      {
        key: 'beta',
        name: 'Beta',
        included: ['bob', 'eve'],
        excluded: ['mallory'],
        rules: [{ clauses: [clause('plan', 'in', ['pro'])] }, { clauses: [clause('country', 'in', ['de'])] }],
      },
    ],
  );
  expect(converted.cohorts.map(({ id, name }) => [id, name])).toEqual([
    ['launchdarkly-beta', 'Beta'],
    ['launchdarkly-beta-2', 'Beta (2)'],
  ]);
  const inBeta: [string, object, boolean][] = [
    ['bob', {}, true],
    ['ada', { plan: 'pro' }, true],
    ['ada', { country: 'de' }, true],
    ['mallory', { plan: 'pro', country: 'de' }, false],
    ['ada', {}, false],
  ];
  for (const [distinctId, traits, isIn] of inBeta) {
    const values = ['x', 'y'].map((key) => valueFor(converted, { distinctId, traits, key }));
    expect(values).toEqual([isIn, !isIn]);
  }
});

test('prerequisites name what the other flag serves', () => {
  const { flags, leftOut } = convert({
    plain: {},
    colour: { variations: COLOURS, offVariation: null },
    x: { prerequisites: [{ key: 'plain', variation: 0 }] },
    y: {
      prerequisites: [
        { key: 'plain', variation: 1 },
        { key: 'colour', variation: 2 },
      ],
    },
    z: { prerequisites: [{ key: 'none', variation: 0 }] },
    w: { variations: COLOURS, offVariation: 2, prerequisites: [{ key: 'plain', variation: 0 }] },
  });
  const needs = new Map(flags.map(({ key, prerequisites }) => [key, prerequisites]));
  expect(needs.get('x')).toEqual([{ flagKey: 'plain', variationKey: 'on' }]);
  expect(needs.get('y')).toEqual([
    { flagKey: 'plain', variationKey: 'off' },
    { flagKey: 'colour', variationKey: 'BLUE' },
  ]);
  expect(leftOut).toEqual([
    { key: 'z', reason: 'requires none, which is not in the file' },
    { key: 'w', reason: 'serves a variation when a prerequisite fails' },
  ]);
});

test('a flag that is off keeps serving its variation for off', () => {
  expect(convert({ x: { on: false } }).flags[0]).toMatchObject({ enabled: false, rolloutPercentage: 100 });
  expect(convert({ x: { on: false, variations: COLOURS, offVariation: null } }).flags[0]?.enabled).toBe(
    false,
  );
  const served = convert({ x: { on: false, variations: COLOURS, offVariation: 1 } });
  expect(valueFor(served, {})).toBe('green');
  expect(served.warnings).toEqual([
    { key: 'x', message: 'it is off: everyone gets GREEN by the first rule, until you remove the rule' },
  ]);
});

const inRule = (one: object) => ({ rules: [{ variation: 0, clauses: [one] }] });
test.each([
  [inRule(clause('a', 'matches', ['.*'])), 'the operator matches'],
  [inRule(clause('a', 'startsWith', ['x'])), 'the operator startsWith'],
  [inRule(clause('a', 'lessThan', [1, 2])), 'lessThan with 2 values'],
  [inRule(clause('/a/b', 'in', ['x'])), 'the nested attribute /a/b'],
  [inRule(clause('kind', 'in', ['user'])), 'a clause on the kind of a context'],
  [inRule(clause('', 'segmentMatch', ['beta'])), 'the segment beta; give the segments with --segments'],
  [
    { targets: [{ values: ['d'], variation: 0, contextKind: 'device' }] },
    'targets of the context kind device',
  ],
  [{ rules: [{ ...rollout(500, 99_500), clauses: [] }] }, 'fractions of a percent in a rule'],
  [{ fallthrough: {} }, 'a rule without a variation'],
  [{ archived: true }, 'archived'],
])('leaves out %j', (here, reason) => {
  expect(convert({ x: here })).toMatchObject({ flags: [], leftOut: [{ key: 'x', reason }] });
});

test.each([
  [{ key: 'beta', unbounded: true }, 'an unbounded list'],
  [{ key: 'beta', rules: [{ clauses: [clause('a', 'in', ['x'])], weight: 10_000 }] }, 'a percentage'],
  [{ key: 'beta', includedContexts: [{ values: ['d'] }] }, 'contexts that are not people'],
  [
    { key: 'beta', rules: [{ clauses: [clause('a', 'lessThan', [1], { negate: true })] }] },
    'a negated comparison',
  ],
])('leaves out the segment %j', (segment, reason) => {
  const { leftOut } = convert({ x: inRule(clause('', 'segmentMatch', ['beta'])) }, [segment]);
  expect(leftOut).toEqual([{ key: 'x', reason: expect.stringContaining(reason) }]);
});

test('reads several pages, and refuses a file without some of them', () => {
  const page = (...keys: string[]) => ({
    items: keys.map((key) => ({
      key,
      variations: BOOLEANS,
      environments: { test: { on: true, offVariation: 1, fallthrough: { variation: 0 } } },
    })),
    totalCount: 3,
  });
  const read = (pages: object) => fromLaunchDarkly({ source: JSON.stringify(pages), place: 'flags.json' });
  expect(read([page('a', 'b'), page('c')]).flags.map(({ key }) => key)).toEqual(['a', 'b', 'c']);
  expect(() => read(page('a', 'b'))).toThrow('flags.json: has 2 of 3 entries; save all pages');
});

test('divides people instead of another attribute with a warning', () => {
  const { rollout: divided } = rollout(50_000, 50_000);
  const { warnings } = convert({ x: { fallthrough: { rollout: { ...divided, bucketBy: 'company' } } } });
  expect(warnings.map(({ message }) => message)).toEqual([
    'its percentages now include other people, and divide people instead of company',
  ]);
});
