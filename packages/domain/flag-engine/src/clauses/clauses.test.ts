import { describe, expect, test } from 'vitest';
import type { Clause, ClauseOperator } from '../index.ts';
import { matchesClauses } from '../index.ts';
import { user } from '../testing/people.ts';

const missing = Symbol('missing');

type Row = [op: ClauseOperator, value: unknown, attribute: unknown, fulfilled: boolean];

function fulfils(op: ClauseOperator, value: unknown, attribute: unknown, name = 'trait'): boolean {
  const traits = attribute === missing ? {} : { [name]: attribute };
  return matchesClauses([{ attribute: name, op, value }], user(traits));
}

const equal: [value: unknown, attribute: unknown, equal: boolean][] = [
  ['pro', 'pro', true],
  ['pro', 'Pro', false],
  ['pro', 'pro ', false],
  ['', '', true],
  [12, 12, true],
  [12, 13, false],
  [12, '12', true],
  [12, '12.0', true],
  ['12', 12, true],
  ['12.0', 12, true],
  ['12.0', '12', false],
  [12, ' 12', false],
  ['0x0c', 12, false],
  ['007', 7, false],
  [0, '', false],
  [0, -0, true],
  [true, true, true],
  [true, 'true', true],
  ['true', true, true],
  [false, 'false', true],
  [false, 0, false],
  [true, 1, false],
  [true, 'TRUE', false],
  ['null', null, false],
  ['1152921504606846977', '1152921504606846977', true],
  ['1152921504606846977', '1152921504606846976', false],
  ['1152921504606846977', 2 ** 60, false],
  ['9007199254740992', 9007199254740992, false],
  ['9007199254740991', 9007199254740991, true],
  ['a', ['a', 'b'], true],
  ['c', ['a', 'b'], false],
  ['12', ['x', 12], true],
  ['a', [], false],
  ['a', [null, ['a']], false],
  [{ a: [1], b: null }, { b: null, a: [1] }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: 1 }, { b: 1 }, false],
  [{ a: 1 }, '[object Object]', false],
];

describe('the operators eq and neq', () => {
  test.each(equal)('eq compares %j with %j: %s', (value, attribute, expected) => {
    expect(fulfils('eq', value, attribute)).toBe(expected);
    expect(fulfils('neq', value, attribute)).toBe(!expected);
  });
});

describe('the operators in and not_in', () => {
  test.each(equal)(
    'in compares a list that holds %j with the attribute %j: %s',
    (value, attribute, expected) => {
      expect(fulfils('in', ['other', value, null], attribute)).toBe(expected);
      expect(fulfils('not_in', ['other', value, null], attribute)).toBe(!expected);
    },
  );

  test.each<Row>([
    ['in', [], 'a', false],
    ['not_in', [], 'a', true],
    ['in', 'pro', 'pro', true],
    ['not_in', 'pro', 'pro', false],
    ['in', 'pro', 'p', false],
    ['in', [null], null, false],
  ])('the clause %s %j for the attribute %j: %s', (op, value, attribute, expected) => {
    expect(fulfils(op, value, attribute)).toBe(expected);
  });
});

describe('the operator contains', () => {
  test.each<Row>([
    ['contains', '@example.com', 'anna@example.com', true],
    ['contains', '@Example.com', 'anna@example.com', false],
    ['contains', ['@a.com', '@example.com'], 'anna@example.com', true],
    ['contains', ['@a.com', '@b.com'], 'anna@example.com', false],
    ['contains', [], 'anna', false],
    ['contains', 'beta', ['alpha', 'beta'], true],
    ['contains', 'bet', ['alpha', 'beta'], true],
    ['contains', 'gamma', ['alpha', 'beta'], false],
    ['contains', [3, 4], [1, 2, 3], true],
    ['contains', '3', [1, 2, 3], true],
    ['contains', 2, 123, false],
    ['contains', '2', 123, false],
    ['contains', 2, '123', false],
    ['contains', 'a', { a: 1 }, false],
    ['contains', 'a', [], false],
  ])('the operator %s with %j for the attribute %j: %s', (op, value, attribute, expected) => {
    expect(fulfils(op, value, attribute)).toBe(expected);
  });
});

describe('the operators gt, gte, lt and lte', () => {
  test.each([
    [10, 9, -1],
    [10, '9', -1],
    ['10', '9', -1],
    ['10', 10, 0],
    [-1, 0.5, 1],
    ['2.10.0', '2.9.0', -1],
    ['2.10.0', '2.10.0+build', 0],
    ['2.10.0-rc.1', '2.10.0', 1],
    ['2026-03-01', '2026-02-28', -1],
    ['2026-03-01', '2026-03-01T02:00:00+02:00', 0],
    ['2026-03-01T00:00:00Z', '2026-03-02', 1],
  ])('the value %j and the attribute %j are ordered by %d', (value, attribute, order) => {
    expect(fulfils('gt', value, attribute)).toBe(order > 0);
    expect(fulfils('gte', value, attribute)).toBe(order >= 0);
    expect(fulfils('lt', value, attribute)).toBe(order < 0);
    expect(fulfils('lte', value, attribute)).toBe(order <= 0);
  });

  test.each([
    [10, 'ten'],
    [10, [11]],
    [10, true],
    [10, missing],
    [10, null],
    [10, '1.2.3'],
    ['1.2.3', 2],
    ['1.2.3', '1.3'],
    ['2026-03-01', '2027'],
    ['abc', 'abd'],
    [[1], 2],
    [true, true],
    [undefined, 1],
    [null, 1],
  ])('the value %j and the attribute %j have no order', (value, attribute) => {
    for (const op of ['gt', 'gte', 'lt', 'lte'] as const) expect(fulfils(op, value, attribute)).toBe(false);
  });
});

describe('clauses on a missing or null attribute', () => {
  test.each<[ClauseOperator, boolean]>([
    ['eq', false],
    ['in', false],
    ['contains', false],
    ['gt', false],
    ['gte', false],
    ['lt', false],
    ['lte', false],
    ['is_set', false],
    ['neq', true],
    ['not_in', true],
    ['is_not_set', true],
  ])('the operator %s returns %s for a missing or null attribute', (op, expected) => {
    expect(fulfils(op, '1', missing)).toBe(expected);
    expect(fulfils(op, '1', null)).toBe(expected);
  });

  test.each([[0], [''], [false], [[]], [{}]])('the attribute %j is set', (attribute) => {
    expect(fulfils('is_set', undefined, attribute)).toBe(true);
    expect(fulfils('is_not_set', undefined, attribute)).toBe(false);
  });
});

describe('clauses without values', () => {
  test.each(['eq', 'neq', 'in', 'not_in', 'contains', 'in_cohort', 'not_in_cohort'] as const)(
    'the operator %s without a value matches no one, whatever the attribute',
    (op) => {
      for (const attribute of ['a', 1, null, missing]) {
        expect(fulfils(op, undefined, attribute)).toBe(false);
        expect(fulfils(op, null, attribute)).toBe(false);
      }
    },
  );

  test('malformed clauses match no one', () => {
    const broken: unknown[] = [null, 'x', { op: 'neq', value: 1 }, { attribute: 'a', op: 'toString' }, {}];
    for (const clause of broken) expect(matchesClauses([clause as Clause], user())).toBe(false);
    expect(matchesClauses('x' as unknown as Clause[], user())).toBe(false);
  });
});

describe('clauses on cohorts', () => {
  test.each([
    ['beta', true],
    [['other', 'beta'], true],
    ['unknown', false],
    [['unknown'], false],
    [[], false],
  ])('in_cohort %j returns %s, and not_in_cohort the opposite', (value, expected) => {
    const anna = user({}, { cohorts: new Set(['beta', 'staff']) });
    expect(matchesClauses([{ attribute: 'cohort', op: 'in_cohort', value }], anna)).toBe(expected);
    expect(matchesClauses([{ attribute: 'cohort', op: 'not_in_cohort', value }], anna)).toBe(!expected);
  });

  test.each([[5], [true], [{}]])(
    'the value %j names no cohort: in_cohort and not_in_cohort both return false',
    (value) => {
      expect(fulfils('in_cohort', value, missing)).toBe(false);
      expect(fulfils('not_in_cohort', value, missing)).toBe(false);
    },
  );
});

describe('the attributes of clauses', () => {
  const anna = user(
    { plan: 'pro', distinct_id: 'a trait', 'group.company.plan': 'a trait', 'group.x': 'dotted' },
    { groups: { company: { plan: 'team', 'billing.plan': 'yearly' } } },
  );
  const equals = (attribute: string, value: unknown) =>
    matchesClauses([{ attribute, op: 'eq', value }], anna);

  test('attributes are traits, the distinct id, and traits of the groups of a person', () => {
    expect(equals('plan', 'pro')).toBe(true);
    expect(equals('distinct_id', 'anna')).toBe(true);
    expect(equals('group.company.plan', 'team')).toBe(true);
    expect(equals('group.company.billing.plan', 'yearly')).toBe(true);
    expect(equals('group.x', 'dotted')).toBe(true);
    expect(equals('group.team.plan', 'team')).toBe(false);
  });

  test('attributes are own properties only', () => {
    for (const attribute of [
      'constructor',
      '__proto__',
      'toString',
      'group.constructor.name',
      'group.company.toString',
    ])
      expect(matchesClauses([{ attribute, op: 'is_set' }], anna)).toBe(false);
    const named = user(JSON.parse('{"__proto__": "x"}'));
    expect(matchesClauses([{ attribute: '__proto__', op: 'eq', value: 'x' }], named)).toBe(true);
  });
});

describe('the comparison of attributes as JSON', () => {
  const at = new Date('2026-03-02T00:00:00Z');
  test.each<[ClauseOperator, unknown, unknown]>([
    ['gte', '2026-03-01', at],
    ['eq', '2026-03-02T00:00:00.000Z', at],
    ['contains', '2026-03-02', at],
    ['in', ['other', '2026-03-02T00:00:00.000Z'], [at]],
    ['eq', { at: '2026-03-02T00:00:00.000Z' }, { at, left: undefined }],
    ['eq', 'https://example.com/', new URL('https://example.com')],
    ['eq', 'text', { toJSON: () => 'text' }],
    ['is_not_set', undefined, Number.NaN],
    ['is_not_set', undefined, new Date(Number.NaN)],
    ['is_not_set', undefined, () => undefined],
  ])('the clause %s %j holds for %o', (op, value, attribute) => {
    expect(fulfils(op, value, attribute)).toBe(true);
    const groups = { company: { trait: attribute } };
    const member = user({}, { groups });
    expect(matchesClauses([{ attribute: 'group.company.trait', op, value }], member)).toBe(true);
  });

  test('a date does not match the negation of what its text equals', () => {
    expect(fulfils('neq', '2026-03-02T00:00:00.000Z', at)).toBe(false);
    expect(fulfils('not_in', ['2026-03-02T00:00:00.000Z'], [at])).toBe(false);
  });
});

test('every clause must match; an empty list matches everyone', () => {
  const clauses: Clause[] = [
    { attribute: 'plan', op: 'eq', value: 'pro' },
    { attribute: 'age', op: 'gt', value: 17 },
  ];
  expect(matchesClauses(clauses, user({ plan: 'pro', age: 18 }))).toBe(true);
  expect(matchesClauses(clauses, user({ plan: 'pro', age: 17 }))).toBe(false);
  expect(matchesClauses([], user())).toBe(true);
});

test('no clause matches while user state is unavailable, not even a negated one', () => {
  const unread = user({}, { stateUnavailable: true });
  for (const op of ['eq', 'neq', 'not_in', 'is_not_set', 'not_in_cohort'] as const)
    expect(matchesClauses([{ attribute: 'plan', op, value: 'pro' }], unread)).toBe(false);
  expect(matchesClauses([], unread)).toBe(true);
});
