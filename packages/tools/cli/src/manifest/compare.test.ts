import { expect, test } from 'vitest';
import { differencesOf } from './compare.ts';
import { definitionOf, kinds } from './kinds.ts';

test('names a difference by its path', () => {
  const flag = { enabled: true, targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }] };
  const other = {
    enabled: true,
    rolloutPercentage: 5,
    targeting: [{ attribute: 'plan', op: 'eq', value: 'team' }, 1],
  };
  expect(differencesOf(flag, other)).toEqual([
    { path: 'targeting[0].value', from: 'pro', to: 'team' },
    { path: 'targeting[1]', from: undefined, to: 1 },
    { path: 'rolloutPercentage', from: undefined, to: 5 },
  ]);
});

test('ignores property order, compares list order, and distinguishes null from absent', () => {
  expect(differencesOf({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1 })).toEqual([]);
  expect(differencesOf([1, 2], [2, 1])).toHaveLength(2);
  expect(differencesOf({ a: null }, {})).toEqual([{ path: 'a', from: null, to: undefined }]);
  expect(differencesOf([1], { 0: 1 })).toEqual([{ path: '', from: [1], to: { 0: 1 } }]);
});

test('finds no difference between equivalent definitions', () => {
  const { cohort, member, company, flag, subscription } = kinds;
  const same = (
    kind: typeof cohort | typeof member | typeof company | typeof flag | typeof subscription,
    one: object,
    other: object,
  ) => differencesOf(definitionOf(kind, { ...one }), definitionOf(kind, { ...other }));
  expect(
    same(
      cohort,
      { id: 'x', name: 'X', distinctIds: ['b', 'a'] },
      { name: 'X', distinctIds: ['a', 'b', 'a'] },
    ),
  ).toEqual([]);
  expect(same(cohort, { name: 'X' }, { name: 'X', distinctIds: [] })).toEqual([]);
  expect(
    same(member, { sub: 's', name: 'A', avatarUrl: null, pushSubscriptions: [] }, { name: 'A' }),
  ).toEqual([]);
  expect(same(company, { id: 'c', entitlements: {} }, {})).toEqual([]);
  expect(same(flag, { key: 'k', description: null }, {})).toEqual([]);
  const recipients = [
    { sub: 'ada', unsubscribed: true },
    { sub: 'grace', unsubscribed: false },
  ];
  expect(
    same(
      subscription,
      {
        id: 's',
        recipients,
        channels: [{ kind: 'slack', url: 'https://x/***' }],
        enabled: true,
        nextAt: null,
      },
      { recipients: ['grace', 'ada'] },
    ),
  ).toEqual([]);
});
