import { expect, test } from 'vitest';
import { type Clause, type Cohort, compileCohorts, memberships } from './index.ts';
import { user } from './testing/people.ts';

const pro: Clause = { attribute: 'plan', op: 'eq', value: 'pro' };
const of = (cohorts: Cohort[], person = user({ plan: 'pro' })) =>
  memberships(compileCohorts(cohorts), person);

test('a person belongs to the cohorts that list them and to those with only matching clauses, sorted', () => {
  const cohorts: Cohort[] = [
    { id: 'z-listed', distinctIds: ['bert', 'anna'] },
    { id: 'matched', match: [pro] },
    { id: 'both', match: [pro], distinctIds: ['anna'] },
    { id: 'Listed', distinctIds: ['anna', 'anna'] },
    { id: 'half', match: [pro, { attribute: 'plan', op: 'is_not_set' }] },
    { id: 'others', distinctIds: ['bert'] },
  ];
  expect(of(cohorts)).toEqual(['Listed', 'both', 'matched', 'z-listed']);
});

test('a cohort with an empty match contains only the people that it lists', () => {
  expect(of([{ id: 'a', match: [] }, { id: 'b' }, { id: 'c', match: [], distinctIds: ['anna'] }])).toEqual([
    'c',
  ]);
});

test.each([
  { did: 'all', isListed: true, match: undefined, isMember: true },
  { did: 'all', isListed: false, match: undefined, isMember: false },
  { did: 'all', isListed: true, match: 'pro', isMember: true },
  { did: 'all', isListed: true, match: 'free', isMember: false },
  { did: 'all', isListed: false, match: 'pro', isMember: false },
  { did: 'any', isListed: true, match: 'free', isMember: true },
  { did: 'any', isListed: false, match: 'pro', isMember: true },
  { did: 'any', isListed: false, match: 'free', isMember: false },
  { did: 'any', isListed: false, match: undefined, isMember: false },
] as const)('a cohort combines match with its computed list: %j', ({ did, isListed, match, isMember }) => {
  const clauses = match === undefined ? [] : [{ ...pro, value: match }];
  const cohorts = compileCohorts([{ id: 'a', did, match: clauses }]);
  expect(memberships(cohorts, user({ plan: 'pro' }), isListed ? ['a'] : [])).toEqual(isMember ? ['a'] : []);
});

test('a cohort that refers to a cohort, or is malformed, contains only the people that it lists', () => {
  const cohorts: Cohort[] = [
    { id: 'a', match: [{ attribute: 'cohort', op: 'not_in_cohort', value: 'b' }] },
    { id: 'b', match: [{ attribute: 'plan', op: 'like' } as unknown as Clause], distinctIds: ['anna'] },
    { id: 'c', match: [pro] },
  ];
  expect(of(cohorts)).toEqual(['b', 'c']);
});

test('a cohort contains only the people that it lists while user state is unavailable', () => {
  const cohorts: Cohort[] = [
    { id: 'a', match: [{ attribute: 'plan', op: 'neq', value: 'pro' }] },
    { id: 'b', distinctIds: ['anna'] },
  ];
  expect(of(cohorts, user({}, { stateUnavailable: true }))).toEqual(['b']);
});
