import type { FlagEntry } from '@switchboard/contracts';
import { decideAll, evaluateFlag, type User } from '@switchboard/flag-engine';
import { describe, expect, it } from 'vitest';
import { outcomesOf } from '../rulesets/outcomes.ts';
import { compile, type Ruleset } from '../rulesets/ruleset.ts';
import { createTallies, servedOf, type Tally } from './tallies.ts';

const on = { enabled: true, rolloutPercentage: 100 };
const FLAGS: FlagEntry[] = [
  { key: 'half', enabled: true, rolloutPercentage: 50 },
  { key: 'off', enabled: false, rolloutPercentage: 100 },
  {
    key: 'split',
    ...on,
    type: 'string',
    rules: [
      { targeting: [{ attribute: 'distinct_id', op: 'eq', value: 'user-7' }], variation: 'c' },
      { targeting: [{ attribute: 'distinct_id', op: 'eq', value: 'user-8' }], rolloutPercentage: 0 },
    ],
    targeting: [{ attribute: 'distinct_id', op: 'neq', value: 'user-9' }],
    variations: ['a', 'b', 'c'].map((key, weight) => ({ key, value: key, weight: 1 + (weight % 2) })),
  },
  { key: 'after', ...on, prerequisites: [{ flagKey: 'half', variationKey: 'on' }] },
];

const rulesetOf = (flags: FlagEntry[], changedAt = '1') =>
  compile({ changedAt, json: JSON.stringify({ flags, cohorts: [] }) });
const userOf = (index: number): User => ({ distinctId: `user-${index}`, traits: {}, cohorts: new Set() });
const all = ({ compiled }: Ruleset, user: User) => outcomesOf(compiled, decideAll(compiled, user));
const open = (maxBytes = 1_000_000) => {
  const lost: number[] = [];
  return { lost, ...createTallies({ maxBytes, onLost: (count) => void lost.push(count) }) };
};
const countsOf = (tallies: readonly Tally[]) => {
  const counts: Record<string, number> = {};
  for (const { projectId, key, variation, count } of tallies.flatMap(servedOf)) {
    const name = `${projectId} ${key} ${variation}`;
    counts[name] = (counts[name] ?? 0) + count;
  }
  return counts;
};

describe('tallies', () => {
  it('count each evaluation of each flag under what it served', () => {
    const tallies = open();
    const ruleset = rulesetOf(FLAGS);
    const expected: Record<string, number> = {};
    for (let index = 0; index < 1_000; index++) {
      const user = userOf(index);
      tallies.addAll('p', ruleset, all(ruleset, user));
      for (const { key, served } of decideAll(ruleset.compiled, user))
        expected[`p ${key} ${served}`] = (expected[`p ${key} ${served}`] ?? 0) + 1;
    }
    expect(Object.keys(expected).length).toBe(9);
    expect(countsOf(tallies.take())).toEqual(expected);
    expect(tallies.take()).toEqual([]);
  });

  it('count evaluations of one flag', () => {
    const tallies = open();
    const ruleset = rulesetOf(FLAGS);
    for (const user of [userOf(7), userOf(9), userOf(9)]) {
      const decision = evaluateFlag(ruleset.compiled, 'split', user);
      if (decision !== undefined) tallies.add('p', ruleset, decision);
    }
    expect(countsOf(tallies.take())).toEqual({ 'p split c': 1, 'p split off': 2 });
  });

  it('keep the counts of projects and of replaced rulesets apart', () => {
    const tallies = open();
    const before = rulesetOf([{ key: 'a', ...on }]);
    const after = rulesetOf([{ key: 'b', ...on }], '2');
    tallies.addAll('p', before, all(before, userOf(1)));
    tallies.addAll('q', before, all(before, userOf(1)));
    tallies.addAll('p', after, all(after, userOf(1)));
    tallies.addAll('p', before, all(before, userOf(1)));
    expect(countsOf(tallies.take())).toEqual({ 'p a on': 2, 'q a on': 1, 'p b on': 1 });
  });

  it('keep one entry of a project that is read from the database again and again', () => {
    const tallies = open();
    for (let index = 0; index < 10; index++) {
      const ruleset = rulesetOf(FLAGS);
      tallies.addAll('p', ruleset, all(ruleset, userOf(7)));
    }
    const taken = tallies.take();
    expect(taken).toHaveLength(1);
    expect(countsOf(taken)).toMatchObject({ 'p off off': 10, 'p split c': 10 });
  });

  it('count no more projects when their memory is full, and say how many evaluations that loses', () => {
    const tallies = open(2_000);
    const ruleset = rulesetOf(FLAGS);
    for (let time = 0; time < 2; time++)
      for (let project = 0; project < 100; project++)
        tallies.addAll(`p${project}`, ruleset, all(ruleset, userOf(7)));
    const taken = tallies.take();
    expect(taken.length).toBeLessThan(5);
    expect(new Set(Object.values(countsOf(taken)))).toEqual(new Set([2]));
    expect(tallies.lost).toEqual(new Array(2 * (100 - taken.length)).fill(FLAGS.length));
    tallies.addAll('later', ruleset, all(ruleset, userOf(7)));
    expect(countsOf(tallies.take())).toMatchObject({ 'later split c': 1 });
  });

  it('accept reports of what a flag can serve, and nothing else', () => {
    const tallies = open();
    const ruleset = rulesetOf(FLAGS);
    const report = (key: string, variation: string) =>
      tallies.addReported('p', ruleset, { key, variation, count: 5 });
    expect([report('half', 'on'), report('split', 'c'), report('split', 'off')]).toEqual([true, true, true]);
    for (const [key, variation] of [
      ['half', 'c'],
      ['split', 'on'],
      ['other', 'on'],
      ['__proto__', 'on'],
      ['constructor', 'off'],
      ['half', '__proto__'],
      ['half', ''],
      ['', ''],
    ] as const)
      expect(report(key, variation)).toBe(false);
    expect(countsOf(tallies.take())).toEqual({ 'p half on': 5, 'p split c': 5, 'p split off': 5 });
  });
});
