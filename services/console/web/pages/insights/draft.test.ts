import { expect, it } from 'vitest';
import { draftOf, type Query, queryOf } from './draft.ts';

const common = {
  range: { last: 7, unit: 'day' },
  timezone: 'Europe/Berlin',
  interval: 'day',
} as const;
const seen = { event: 'product seen' };
const placed = { event: 'order placed', where: [{ attribute: 'total', op: 'gte' as const, value: 10 }] };

const queries: Query[] = [
  { kind: 'retention', ...common, start: seen, return: seen, periods: 4, mode: 'every', retained: 'on' },
  {
    ...{ kind: 'retention', ...common, start: seen, return: { event: 'order placed' }, periods: 4 },
    ...{ mode: 'first', retained: 'on', weight: 'total', breakdown: { property: 'plan', limit: 3 } },
  },
  { kind: 'stickiness', ...common, series: [{ ...seen, name: 'Seen' }], cumulative: true },
  { kind: 'stickiness', ...common, series: [seen], cohort: 'beta', bots: true },
  { kind: 'lifecycle', ...common, event: 'order placed' },
  { kind: 'funnel', ...common, steps: [seen, placed], window: { count: 2, unit: 'hour' }, order: 'strict' },
  { kind: 'paths', ...common, after: seen, property: 'path', window: { count: 1, unit: 'day' } },
];

it.each(queries)('keeps a query that it edits: %j', (query) => {
  expect(queryOf(draftOf(query))).toEqual(query);
});

it('leaves out the property to add up while people may return later as well', () => {
  const [query] = queries;
  if (query === undefined) throw new Error('no query');
  const draft = { ...draftOf(query), weight: 'total' };
  expect(queryOf(draft)).toMatchObject({ weight: 'total' });
  expect(queryOf({ ...draft, retained: 'on_or_after' })).not.toHaveProperty('weight');
});
