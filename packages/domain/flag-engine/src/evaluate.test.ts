import { describe, expect, test } from 'vitest';
import { compileRuleset, decideAll, evaluateAll, evaluateFlag, type Flag, type User } from './index.ts';
import { flag, user } from './testing/people.ts';

const onlyPro = [{ attribute: 'plan', op: 'eq', value: 'pro' }] as const;
const colours = [
  { key: 'red', value: '#f00', weight: 1 },
  { key: 'blue', value: '#00f', weight: 0 },
];

function reasons(flags: Flag[], person: User = user()) {
  return { ...evaluateAll(compileRuleset(flags), person).reasons };
}

describe('decisions', () => {
  test.each<[string, Partial<Flag>, unknown, string | undefined]>([
    ['on without variations', {}, true, undefined],
    ['on without variations, of another type', { type: 'string', variations: [] }, true, undefined],
    ['on with variations', { type: 'string', variations: colours }, '#f00', 'red'],
    ['off', { enabled: false }, false, undefined],
    ['off, boolean', { enabled: false, type: 'boolean' }, false, undefined],
    ['off, string', { enabled: false, type: 'string', variations: colours }, null, undefined],
    ['off, number', { enabled: false, type: 'number' }, null, undefined],
    ['off, json', { enabled: false, type: 'json' }, null, undefined],
  ])('decides a flag that is %s', (_name, rest, value, variant) => {
    const { flags, variants } = evaluateAll(compileRuleset([flag('f', rest)]), user());
    expect(flags['f']).toBe(value);
    expect(variants['f']).toBe(variant);
  });

  test('decides flags in stored order, whatever their prerequisites', () => {
    const stored = [
      flag('c', { prerequisites: [{ flagKey: 'a', variationKey: 'on' }] }),
      flag('b'),
      flag('a'),
    ];
    expect(Object.keys(evaluateAll(compileRuleset(stored), user()).flags)).toEqual(['c', 'b', 'a']);
  });

  test('returns equal decisions as the same object', () => {
    const ruleset = compileRuleset([flag('f', { variations: colours })]);
    expect(decideAll(ruleset, user())[0]).toBe(evaluateFlag(ruleset, 'f', user({ plan: 'pro' })));
  });

  test('returns no decision for an unknown key', () => {
    expect(evaluateFlag(compileRuleset([flag('f')]), 'toString', user())).toBeUndefined();
  });
});

describe('the order of the rules', () => {
  const failing: Partial<Flag> = {
    enabled: false,
    prerequisites: [{ flagKey: 'missing', variationKey: 'on' }],
    targeting: onlyPro,
    rolloutPercentage: 0,
  };

  test('checks disabled, prerequisites, targeting and rollout in this order', () => {
    expect(reasons([flag('f', failing)])).toEqual({ f: 'DISABLED' });
    expect(reasons([flag('f', { ...failing, enabled: true })])).toEqual({ f: 'PREREQUISITE_FAILED' });
    const met = { ...failing, enabled: true, prerequisites: [] };
    expect(reasons([flag('f', met)])).toEqual({ f: 'TARGETING_MISS' });
    expect(reasons([flag('f', met)], user({ plan: 'pro' }))).toEqual({ f: 'ROLLOUT_MISS' });
    expect(reasons([flag('f', { ...met, rolloutPercentage: 100 })], user({ plan: 'pro' }))).toEqual({
      f: 'MATCH',
    });
  });

  test('includes an empty distinct id in a full rollout only, with the first variation with a weight', () => {
    const nobody = user({}, { distinctId: '' });
    const variations = [{ key: 'none', value: 0, weight: 0 }, ...colours];
    const ruleset = compileRuleset([flag('full', { variations }), flag('part', { rolloutPercentage: 99 })]);
    const { variants, reasons: why } = evaluateAll(ruleset, nobody);
    expect({ ...variants }).toEqual({ full: 'red' });
    expect(why['part']).toBe('ROLLOUT_MISS');
  });

  test('matches no targeting while user state is unavailable, and evaluates other flags', () => {
    const targeted = flag('t', { targeting: [{ attribute: 'plan', op: 'neq', value: 'pro' }] });
    expect(reasons([targeted, flag('f')], user({}, { stateUnavailable: true }))).toEqual({
      t: 'TARGETING_MISS',
      f: 'MATCH',
    });
  });
});

describe('prerequisites', () => {
  const needs = (flagKey: string, variationKey: string) => ({ prerequisites: [{ flagKey, variationKey }] });

  test.each<[string, Partial<Flag>, string[]]>([
    ['disabled', { enabled: false }, ['off']],
    ['off by targeting, with variations', { targeting: onlyPro, variations: colours }, ['off']],
    ['not to be evaluated', { rolloutPercentage: Number.NaN }, ['off']],
    ['on without variations', {}, ['on']],
    ['on with variations', { variations: colours }, ['red']],
    ['on with a variation called off', { variations: [{ key: 'off', value: 1, weight: 1 }] }, ['off']],
  ])('a prerequisite that is %s serves %j', (_name, rest, served) => {
    for (const variationKey of ['off', 'on', 'red', 'blue', '']) {
      const expected = served.includes(variationKey) ? 'MATCH' : 'PREREQUISITE_FAILED';
      const flags = [flag('child', needs('parent', variationKey)), flag('parent', rest)];
      expect(reasons(flags)['child'], variationKey).toBe(expected);
    }
  });

  test('requires every prerequisite to be met, transitively', () => {
    const chain = Array.from({ length: 5000 }, (_, i) =>
      flag(`f${i}`, i < 4999 ? needs(`f${i + 1}`, 'on') : {}),
    );
    expect(evaluateFlag(compileRuleset(chain), 'f0', user())?.reason).toBe('MATCH');
    const broken = [...chain.slice(0, -1), flag('f4999', { enabled: false })];
    expect(evaluateFlag(compileRuleset(broken), 'f4998', user())?.reason).toBe('PREREQUISITE_FAILED');
    expect(evaluateFlag(compileRuleset(broken), 'f0', user())?.reason).toBe('PREREQUISITE_FAILED');
  });

  test('fails a missing or cyclic prerequisite, and treats the flag as off for flags that depend on it', () => {
    const flags = [
      flag('a', needs('b', 'off')),
      flag('b', needs('a', 'off')),
      flag('self', needs('self', 'off')),
      flag('onCycle', needs('a', 'off')),
      flag('beyond', needs('onCycle', 'off')),
      flag('onMissing', needs('missing', 'off')),
      flag('apart'),
    ];
    expect(reasons(flags)).toEqual({
      a: 'PREREQUISITE_FAILED',
      b: 'PREREQUISITE_FAILED',
      self: 'PREREQUISITE_FAILED',
      onCycle: 'PREREQUISITE_FAILED',
      beyond: 'MATCH',
      onMissing: 'PREREQUISITE_FAILED',
      apart: 'MATCH',
    });
  });
});

describe('a flag that cannot be evaluated', () => {
  test.each<[string, Record<string, unknown>]>([
    ['rollout that is no percentage', { rolloutPercentage: 101 }],
    ['rollout that is no number', { rolloutPercentage: '50' }],
    ['enabled that is no boolean', { enabled: 'yes' }],
    ['targeting that is no list', { targeting: {} }],
    ['unknown operator', { targeting: [{ attribute: 'plan', op: 'regex', value: '.*' }] }],
    ['variation without weight', { variations: [{ key: 'a', value: 1 }] }],
    ['negative weight', { variations: [{ key: 'a', value: 1, weight: -1 }] }],
    [
      'a total weight of 0, for any distinct id',
      { rolloutPercentage: 0, variations: [{ key: 'a', value: 1, weight: 0 }] },
    ],
    ['prerequisite that is null', { prerequisites: [null] }],
  ])('returns off with ERROR for %s, and leaves other flags unaffected', (_name, rest) => {
    const entries = [flag('f', { type: 'json', ...rest } as Partial<Flag>), flag('other')];
    const { flags, variants, reasons: why } = evaluateAll(compileRuleset(entries), user());
    expect({ ...flags }).toEqual({ f: null, other: true });
    expect({ ...variants }).toEqual({});
    expect({ ...why }).toEqual({ f: 'ERROR', other: 'MATCH' });
  });

  test('returns ERROR for a person with a trait that cannot be read', () => {
    const unreadable = Object.defineProperty({}, 'plan', {
      get() {
        throw new Error('not now');
      },
    });
    expect(reasons([flag('f', { targeting: onlyPro }), flag('other')], user(unreadable))).toEqual({
      f: 'ERROR',
      other: 'MATCH',
    });
  });

  test('skips an entry without a key, and uses the later of two entries with the same key', () => {
    const entries = [null, 5, {}, flag('f', { enabled: false }), flag('f')] as Flag[];
    expect(reasons(entries)).toEqual({ f: 'MATCH' });
  });
});

test('treats names of Object.prototype as ordinary keys', () => {
  const keys = ['__proto__', 'constructor', 'hasOwnProperty', 'toString'];
  const entries = keys.map((key) =>
    flag(key, {
      variations: [{ key: '__proto__', value: { __proto__: null, key }, weight: 1 }],
      prerequisites: [{ flagKey: 'root', variationKey: 'on' }],
    }),
  );
  const answer = evaluateAll(compileRuleset([...entries, flag('root')]), user());
  expect(Object.keys(answer.flags)).toEqual([...keys, 'root']);
  for (const key of keys) {
    expect(answer.flags[key]).toEqual({ key });
    expect(answer.variants[key]).toBe('__proto__');
  }
  expect(JSON.stringify(answer.reasons)).toContain('"__proto__":"MATCH"');
});
