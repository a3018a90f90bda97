import { expect, test } from 'vitest';
import { valueFor } from '../testing/value-for.ts';
import { fromGrowthBook } from './growthbook.ts';

/** Converts features in the form that SDKs read. */
function convert(features: Record<string, object>, savedGroups?: object) {
  return fromGrowthBook({ source: JSON.stringify({ features, savedGroups }), place: 'features.json' });
}
const withRules = (...rules: object[]) => convert({ x: { defaultValue: false, rules } });
const valuesFor = (conversion: ReturnType<typeof convert>, all: object[]) =>
  all.map((traits) => valueFor(conversion, { traits }));

test('a feature that rules turn on becomes a boolean flag', () => {
  const { flags, warnings } = withRules(
    { condition: { id: { $in: ['ada', 'bob'] } }, force: true },
    { condition: { plan: 'pro' }, force: true, coverage: 0.29, hashAttribute: 'id' },
  );
  expect(flags).toEqual([
    {
      key: 'x',
      enabled: true,
      type: 'boolean',
      rules: [
        { targeting: [{ attribute: 'distinct_id', op: 'in', value: ['ada', 'bob'] }] },
        { targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }], rolloutPercentage: 29 },
      ],
      rolloutPercentage: 0,
    },
  ]);
  expect(warnings).toEqual([{ key: 'x', message: 'its percentages now include other people' }]);
});

test('the first rule that matches serves its value', () => {
  const converted = convert({
    x: {
      defaultValue: 'none',
      rules: [
        { condition: { plan: 'pro' }, force: 'gold' },
        { condition: { country: { $in: ['de', 'at'] } }, force: 'silver' },
      ],
    },
  });
  expect(valuesFor(converted, [{ plan: 'pro', country: 'de' }, { country: 'at' }, {}])).toEqual([
    'gold',
    'silver',
    'none',
  ]);
});

test('an experiment divides the people who match', () => {
  const experiment = {
    condition: { plan: 'pro' },
    variations: ['a', 'b'],
    weights: [0.3, 0.7],
    coverage: 0.5,
  };
  const thirds = { variations: ['a', 'b', 'c'], weights: [0.3334, 0.3333, 0.3333] };
  const half = convert({ x: { defaultValue: 'none', rules: [experiment] } });
  const third = convert({ x: { defaultValue: 'none', rules: [{ ...thirds, condition: { plan: 'pro' } }] } });
  const shares = (converted: ReturnType<typeof convert>) => {
    const served = Array.from({ length: 2_000 }, (_, n) =>
      valueFor(converted, { distinctId: `person-${n}`, traits: { plan: 'pro' } }),
    );
    return ['a', 'b', 'c', 'none'].map((value) => served.filter((one) => one === value).length / 2_000);
  };
  const expected = [
    [half, [0.15, 0.35, 0, 0.5]],
    [third, [0.33, 0.33, 0.33, 0]],
  ] as const;
  for (const [converted, all] of expected) {
    const found = shares(converted);
    for (const [index, share] of all.entries())
      expect(Math.abs((found[index] ?? 0) - share)).toBeLessThan(0.04);
    expect(valueFor(converted, {})).toBe('none');
  }
  expect(convert({ x: { defaultValue: 'none', rules: [thirds, thirds] } }).leftOut).toEqual([
    { key: 'x', reason: 'fractions of a percent in two experiments' },
  ]);
});

test.each([
  [{ n: { $gt: 3 } }, [{ n: 4 }, { n: 3 }, {}], [true, false, false]],
  [{ n: { $gte: 3, $lt: 5 } }, [{ n: 3 }, { n: 5 }], [true, false]],
  [{ n: { $ne: 1 } }, [{ n: 2 }, { n: 1 }, {}], [true, false, true]],
  [{ n: { $nin: [1, 2] } }, [{ n: 3 }, { n: 1 }, {}], [true, false, true]],
  [{ n: { $exists: false } }, [{}, { n: 1 }], [true, false]],
  [{ v: { $vgte: '1.10.0' } }, [{ v: '1.10.0' }, { v: '1.9.0' }], [true, false]],
  [{ v: { $veq: '1.2.0' } }, [{ v: '1.2.0' }, { v: '1.2.1' }], [true, false]],
  [{ n: { $not: { $gt: 3 } } }, [{ n: 3 }, { n: 4 }, {}], [true, false, true]],
  [{ $or: [{ a: 1 }, { b: 1 }] }, [{ a: 1 }, { b: 1 }, {}], [true, true, false]],
  [{ $nor: [{ a: 1 }, { b: 1 }] }, [{}, { b: 1 }], [true, false]],
  [{ $and: [{ a: 1 }, { $or: [{ b: 1 }, { c: 1 }] }] }, [{ a: 1, c: 1 }, { a: 1 }], [true, false]],
  [{ $not: { a: 1, b: 1 } }, [{ a: 1 }, { a: 1, b: 1 }], [true, false]],
])('the condition %j matches the same people', (condition, people, expected) => {
  const converted = withRules({ condition, force: true });
  expect(converted.leftOut).toEqual([]);
  expect(valuesFor(converted, people)).toEqual(expected);
});

test('saved groups of people become cohorts', () => {
  const rules = [
    { condition: { id: { $inGroup: 'grp_1' } }, force: true },
    { condition: { plan: { $inGroup: 'grp_2' } }, force: true },
  ];
  const { cohorts, flags } = convert(
    { x: { defaultValue: false, rules } },
    { grp_1: ['ada'], grp_2: ['pro'] },
  );
  expect(cohorts).toEqual([{ id: 'growthbook-grp_1', name: 'grp_1', distinctIds: ['ada'] }]);
  expect(flags[0]?.rules?.map(({ targeting }) => targeting)).toEqual([
    [{ attribute: 'distinct_id', op: 'in_cohort', value: 'growthbook-grp_1' }],
    [{ attribute: 'plan', op: 'in', value: ['pro'] }],
  ]);
});

test('gates become prerequisites', () => {
  const gate = (id: string, value: unknown) => ({
    parentConditions: [{ id, condition: { value }, gate: true }],
  });
  const { flags, leftOut } = convert({
    plain: { defaultValue: true },
    colour: { defaultValue: 'red', rules: [{ force: 'blue', condition: { a: 1 } }] },
    x: { defaultValue: true, rules: [gate('plain', true)] },
    y: { defaultValue: true, rules: [gate('colour', 'blue'), gate('plain', false)] },
    z: { defaultValue: true, rules: [gate('colour', 'green')] },
  });
  const needs = new Map(flags.map(({ key, prerequisites }) => [key, prerequisites]));
  expect(needs.get('x')).toEqual([{ flagKey: 'plain', variationKey: 'on' }]);
  expect(needs.get('y')).toEqual([
    { flagKey: 'colour', variationKey: 'blue' },
    { flagKey: 'plain', variationKey: 'off' },
  ]);
  expect(leftOut).toEqual([{ key: 'z', reason: 'requires green of colour, which it never serves' }]);
});

test('reads the answer of the management API, with the definition or the rules of an environment', () => {
  const definition = { defaultValue: 1, rules: [{ force: 2, condition: { plan: 'pro' } }] };
  const feature = (id: string, here: object, more: object = {}) => ({
    id,
    description: 'A feature',
    valueType: 'number',
    defaultValue: '1',
    environments: { production: { enabled: true, defaultValue: '1', rules: [], ...here } },
    ...more,
  });
  const rule = { type: 'force', enabled: true, value: '2', condition: '{"plan":"pro"}' };
  const off = { ...rule, enabled: false };
  const features = [
    feature('defined', { definition: JSON.stringify(definition) }),
    feature('ruled', { enabled: false, rules: [off, rule] }),
    feature('tested', { enabled: false, rules: [{ ...rule, type: 'experiment-ref' }] }),
    feature('old', {}, { archived: true }),
  ];
  const page = { features, limit: 10, offset: 0, total: 4 };
  const read = (pages: object) => fromGrowthBook({ source: JSON.stringify(pages), place: 'features.json' });
  expect(() => read({ ...page, total: 5 })).toThrow('features.json: has 4 of 5 entries');
  const halves = [features.slice(0, 2), features.slice(2)].map((half) => ({ ...page, features: half }));
  const { flags, leftOut } = read(halves);
  const shared = {
    description: 'A feature',
    type: 'number',
    rules: [{ targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }], variation: '2' }],
    rolloutPercentage: 100,
    variations: [
      { key: '1', value: 1, weight: 1 },
      { key: '2', value: 2, weight: 0 },
    ],
  };
  expect(flags).toEqual([
    { key: 'defined', enabled: true, ...shared },
    { key: 'ruled', enabled: false, ...shared },
  ]);
  expect(leftOut).toEqual([
    { key: 'tested', reason: 'a rule of the type experiment-ref' },
    { key: 'old', reason: 'archived' },
  ]);
});

test.each([
  [{ condition: { a: { $regex: '^x' } }, force: true }, 'the operator $regex'],
  [{ condition: { 'a.b': 1 }, force: true }, 'the nested attribute a.b'],
  [{ condition: { a: { $gt: 'x' } }, force: true }, '$gt with x'],
  [{ condition: { id: { $inGroup: 'none' } }, force: true }, 'the saved group none'],
  [{ force: true, coverage: 0.125 }, 'a rollout of 12.5 percent'],
  [{ force: true, filters: [{}] }, 'a namespace'],
  [{ force: true, parentConditions: [{ id: 'y', condition: {} }] }, 'a rule with a prerequisite'],
])('leaves out %j', (rule, reason) => {
  expect(withRules(rule)).toMatchObject({
    flags: [],
    leftOut: [{ key: 'x', reason: expect.stringContaining(reason) }],
  });
});
