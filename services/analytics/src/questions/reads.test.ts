import { insightQuery } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import { DUCKDB } from '../engine/duckdb-dialect.ts';
import { sql } from '../engine/sql.ts';
import { answer } from './answer.ts';
import { readBy } from './reads.ts';

const range = { from: '2026-03-01', to: '2026-03-02' };

test('what a question reads is named by the first place that reads it', () => {
  const question = insightQuery.parse({
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
  expect(readBy(question)).toEqual({
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

const large = { attribute: 'plan', op: 'in', value: [{ list: Array.from({ length: 200 }, (_, at) => at) }] };
const small = { attribute: 'plan', op: 'in', value: Array.from({ length: 1000 }, (_, at) => at) };

test.each([
  ['where[1]', { kind: 'lifecycle', where: [small, large] }],
  ['series[1].where[0]', { kind: 'stickiness', series: [{ event: 'a' }, { event: 'b', where: [large] }] }],
  [
    'exclude[0].where[0]',
    { kind: 'funnel', steps: [{ event: 'a' }, { event: 'b' }], exclude: [{ event: 'c', where: [large] }] },
  ],
  [
    'return.where[0]',
    { kind: 'retention', start: { event: 'a' }, return: { event: 'b', where: [large] }, periods: 1 },
  ],
])('a value that is too large is refused at %s', async (path, question) => {
  const asked = answer(insightQuery.parse({ range, ...question }), {
    source: { projectId: 'p', dialect: DUCKDB, events: sql`events`, cohorts: new Map() },
    now: 0,
    asOf: 0,
    query: () => Promise.reject(new Error('asked')),
  });
  await expect(asked).rejects.toThrow(`${path}.value: objects and lists of more than 200 parts`);
});
