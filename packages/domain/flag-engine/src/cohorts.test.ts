import { expect, test } from 'vitest';
import { type Clause, type Cohort, compileCohorts, memberships } from './index.ts';
import { user } from './testing/people.ts';

const pro: Clause = { attribute: 'plan', op: 'eq', value: 'pro' };
const of = (cohorts: Cohort[], person = user({ plan: 'pro' })) =>
  memberships(compileCohorts(cohorts), person);

test('a person belongs to the cohorts that list them or whose clauses all match, sorted', () => {
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

test('an empty match adds nobody: only listed people belong', () => {
  expect(of([{ id: 'a', match: [] }, { id: 'b' }, { id: 'c', match: [], distinctIds: ['anna'] }])).toEqual([
    'c',
  ]);
});

test('a cohort that refers to a cohort, or is malformed, has only the people it lists', () => {
  const cohorts: Cohort[] = [
    { id: 'a', match: [{ attribute: 'cohort', op: 'not_in_cohort', value: 'b' }] },
    { id: 'b', match: [{ attribute: 'plan', op: 'like' } as unknown as Clause], distinctIds: ['anna'] },
    { id: 'c', match: [pro] },
  ];
  expect(of(cohorts)).toEqual(['b', 'c']);
});

test('while user state is unavailable only lists count', () => {
  const cohorts: Cohort[] = [
    { id: 'a', match: [{ attribute: 'plan', op: 'neq', value: 'pro' }] },
    { id: 'b', distinctIds: ['anna'] },
  ];
  expect(of(cohorts, user({}, { stateUnavailable: true }))).toEqual(['b']);
});
