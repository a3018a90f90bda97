import { insightQuery } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import { DUCKDB } from '../engine/duckdb-dialect.ts';
import { sql } from '../engine/sql.ts';
import { readBy } from './reads.ts';
import { resultOf } from './result.ts';

const range = { from: '2026-03-01', to: '2026-03-02' };

test('names a read by the first place in the query that causes it', () => {
  const query = insightQuery.parse({
    kind: 'trends',
    range,
    where: [{ attribute: 'plan', op: 'is_set' }],
    series: [
      { event: 'a', where: [{ attribute: 'cohort', op: 'in_cohort', value: ['x', 'y'] }] },
      {
        event: 'b',
        measure: 'sum',
        property: 'trait.seats',
        where: [
          { attribute: 'plan', op: 'eq', value: 1 },
          { attribute: 'cohort', op: 'in_cohort', value: 'y' },
        ],
      },
    ],
    breakdown: { property: 'trait.plan' },
    cohort: 'z',
  });
  expect(readBy(query)).toEqual({
    attributes: [
      { path: 'where[0]', name: 'plan' },
      { path: 'series[1].property', name: 'trait.seats' },
      { path: 'breakdown.property', name: 'trait.plan' },
    ],
    cohorts: [
      { path: 'series[0].where[0]', name: 'x' },
      { path: 'series[0].where[0]', name: 'y' },
      { path: 'cohort', name: 'z' },
    ],
  });
});

test('counts the cohorts of a query as its own conditions', async () => {
  const value = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [index, 0]));
  const eq = { attribute: 'plan', op: 'eq', value } as const;
  const asked = resultOf(insightQuery.parse({ kind: 'lifecycle', range, where: [eq], cohort: 'beta' }), {
    source: {
      ...{ projectId: 'p', dialect: DUCKDB, events: sql`events` },
      cohorts: new Map([['beta', { match: [eq], distinctIds: [] }]]),
    },
    now: 0,
    asOf: 0,
    run: () => Promise.reject(new Error('asked')),
    eachPerson: () => Promise.reject(new Error('asked')),
  });
  await expect(asked).rejects.toThrow('cohort "beta".value: objects and lists of more than 200 parts');
});
