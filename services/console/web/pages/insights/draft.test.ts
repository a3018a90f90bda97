import { expect, it } from 'vitest';
import { draftOf, type Query, queryOf, withoutSeries } from './draft.ts';

const common = {
  range: { last: 7, unit: 'day' },
  timezone: 'Europe/Berlin',
  interval: 'day',
} as const;
const seen = { event: 'product seen' };
const placed = { event: 'order placed', where: [{ attribute: 'total', op: 'gte' as const, value: 10 }] };

const funnel = {
  ...{ kind: 'funnel', ...common, window: { count: 1, unit: 'day' } },
  steps: ['seen', 'added', 'checked', 'paid'].map((event) => ({ event })),
  exclude: [{ event: 'cancelled', from: 1, to: 2 }, { event: 'left', to: 3 }, { event: 'lost' }],
} satisfies Query;

const map = {
  ...{ kind: 'trends', ...common, display: 'map', breakdown: { property: 'country' } },
  series: [{ event: 'product seen', measure: 'people' }],
} satisfies Query;

const queries: Query[] = [
  funnel,
  map,
  { ...map, breakdown: { property: 'country', limit: 3 } },
  { ...funnel, view: 'over_time', breakdown: { property: 'plan', limit: 3 } },
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
  const query = queries.find(({ kind }) => kind === 'retention');
  if (query === undefined) throw new Error('no query');
  const draft = { ...draftOf(query), weight: 'total' };
  expect(queryOf(draft)).toMatchObject({ weight: 'total' });
  expect(queryOf({ ...draft, retained: 'on_or_after' })).not.toHaveProperty('weight');
});

it('lets only a step between others be optional, and excludes between steps that are not', () => {
  const draft = draftOf(funnel);
  const series = draft.series.map((one) => ({ ...one, optional: true }));
  expect(queryOf({ ...draft, series })).toMatchObject({
    steps: [
      { event: 'seen' },
      { event: 'added', optional: true },
      { event: 'checked', optional: true },
      { event: 'paid' },
    ],
    exclude: [{ event: 'cancelled' }, { event: 'left', to: 3 }, { event: 'lost' }],
  });
  expect(queryOf({ ...draft, series, order: 'any' })).not.toHaveProperty('steps.1.optional');
});

it.each([
  [0, [{ event: 'cancelled', from: 0, to: 1 }, { event: 'left', to: 2 }, { event: 'lost' }]],
  [1, [{ event: 'cancelled' }, { event: 'left', to: 2 }, { event: 'lost' }]],
  [2, [{ event: 'cancelled', from: 1, to: 2 }, { event: 'left', to: 2 }, { event: 'lost' }]],
  [3, [{ event: 'cancelled', from: 1, to: 2 }, { event: 'left' }, { event: 'lost' }]],
])('keeps excluded events between their steps when step %i is removed', (at, exclude) => {
  const draft = draftOf(funnel);
  expect(queryOf({ ...draft, ...withoutSeries(draft, at) })).toHaveProperty('exclude', exclude);
});
