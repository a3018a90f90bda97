import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FlagEntry } from '@switchboard/contracts';
import { decideAll } from '@switchboard/flag-engine';
import { expect, it } from 'vitest';
import { answerJson } from '../evaluation/answers.ts';
import { bytesOf, compile, type Ruleset } from './ruleset.ts';
import type { RulesetText } from './store.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

function heapUsed(): number {
  for (let turn = 0; turn < 4; turn++) if (typeof collectGarbage === 'function') collectGarbage();
  return process.memoryUsage().heapUsed;
}

const flagOf = (index: number, more: Partial<FlagEntry> = {}): FlagEntry => ({
  key: `flag-${index}`,
  enabled: true,
  rolloutPercentage: 50,
  ...more,
});
const flagsOf = (count: number, more: Partial<FlagEntry> = {}) =>
  JSON.stringify(Array.from({ length: count }, (_, index) => flagOf(index, more)));
const texts = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => text(index));

it.each([
  ['plain flags', flagsOf(100)],
  [
    'clauses of one value',
    flagsOf(10, { targeting: texts(50, String).map((name) => ({ attribute: name, op: 'eq', value: name })) }),
  ],
  [
    'clauses of many texts',
    flagsOf(20, {
      targeting: [{ attribute: 'email', op: 'in', value: texts(1000, (n) => `user-${n}@example.com`) }],
    }),
  ],
  [
    'clauses of many numbers',
    flagsOf(20, { targeting: [{ attribute: 'seats', op: 'in', value: texts(1000, (n) => String(n * 7)) }] }),
  ],
  [
    'rules',
    flagsOf(10, {
      variations: texts(4, (n) => `variation-${n}`).map((key) => ({ key, value: key, weight: 1 })),
      rules: texts(50, (n) => `rule ${n}`).map((name) => ({
        name,
        targeting: [{ attribute: 'plan', op: 'eq', value: name }],
      })),
    }),
  ],
  [
    'variations of large values',
    flagsOf(20, {
      type: 'json',
      variations: texts(5, String).map((key) => ({
        key,
        weight: 1,
        value: texts(50, (n) => `a text ${n}`).map((name, id) => ({ id, name })),
      })),
    }),
  ],
])('estimates a ruleset with %s at no less than its size, and less than three times that', (_, json) => {
  const kept: { text: RulesetText; ruleset: Ruleset }[] = [];
  const add = () => {
    const text = { changedAt: '2026-01-01T00:00:00.000Z', json: `{"flags":${json},"cohorts":[]}` };
    const ruleset = compile(text);
    for (let person = 0; person < 40; person++) {
      const user = { distinctId: `person ${person}`, traits: { seats: 7 }, cohorts: new Set<string>() };
      answerJson(ruleset, decideAll(ruleset.compiled, user));
    }
    return { text, ruleset };
  };
  add();
  const before = heapUsed();
  for (let turn = 0; turn < 30; turn++) kept.push(add());
  const held = (heapUsed() - before) / kept.length;
  const [one] = kept;
  const weight = one === undefined ? 0 : bytesOf(one.text.json) + one.ruleset.bytes;
  expect(weight).toBeGreaterThan(held);
  expect(weight).toBeLessThan(3 * held);
});
