import { describe, expect, test } from 'vitest';
import { insightQuery } from './query.ts';

const range = { last: 7, unit: 'day' };
const series = [{ event: 'order placed' }];
const start = { event: 'signed up' };
const byCountry = { property: 'country' };

test.each([
  ['trends', { kind: 'trends', range, series }],
  [
    'trends of a property',
    {
      kind: 'trends',
      range: { from: '2026-03-01', to: '2026-03-01' },
      timezone: 'Europe/Berlin',
      interval: 'week',
      series: [{ event: 'order placed', measure: 'p90', property: 'total', name: 'Slowest' }],
      breakdown: { property: 'trait.plan', and: [{ property: 'total', ranges: [10, 100] }] },
      formula: 'A * 2',
      goal: { value: 99.5, label: 'Plan' },
      compare: 'previous',
      where: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
    },
  ],
  [
    'a breakdown of as many series as there may be',
    { kind: 'trends', range, series: Array(12).fill(start), breakdown: { property: 'x', limit: 10 } },
  ],
  [
    'sessions, an earlier period and a running average',
    {
      kind: 'trends',
      range,
      series: [{ event: 'a', measure: 'session_seconds' }],
      compare: { from: '2025-03-01' },
      running: { average: 7 },
      bots: true,
    },
  ],
  ['areas of people', { kind: 'trends', range, series: [{ ...start, measure: 'people' }], display: 'area' }],
  ['a pie', { kind: 'trends', range, series: [{ ...start, measure: 'sessions' }], display: 'pie' }],
  ['a number', { kind: 'trends', range, series, display: 'number', compare: 'previous' }],
  ['a table of a formula', { kind: 'trends', range, series, display: 'table', formula: 'A / 2' }],
  [
    'a map of any measure',
    {
      kind: 'trends',
      range,
      series: [{ ...start, measure: 'bounce_rate' }],
      display: 'map',
      breakdown: byCountry,
    },
  ],
  [
    'a map of a formula of several series, compared with the period before',
    {
      kind: 'trends',
      range,
      series: [start, start],
      formula: 'A / B',
      compare: 'previous',
      display: 'map',
      breakdown: { ...byCountry, limit: 3 },
    },
  ],
  ['a funnel', { kind: 'funnel', range, steps: [start, ...series], window: { count: 1, unit: 'day' } }],
  [
    'a funnel with events excluded between given steps',
    {
      kind: 'funnel',
      range,
      steps: [start, start, ...series],
      exclude: [start, { ...start, from: 1 }, { ...start, to: 1 }, { ...start, from: 1, to: 2 }],
    },
  ],
  [
    'a funnel over time by plan',
    {
      ...{ kind: 'funnel', range, steps: [start, start], order: 'any' },
      ...{ view: 'over_time', breakdown: { property: 'plan' } },
    },
  ],
  [
    'a funnel with optional steps',
    {
      kind: 'funnel',
      range,
      steps: [start, { ...start, optional: true }, { ...start, optional: false }, start],
      order: 'strict',
    },
  ],
  ['retention', { kind: 'retention', range, start, return: start, periods: 8, mode: 'every' }],
  ['paths', { kind: 'paths', range, after: start, before: start, property: 'path' }],
  ['stickiness', { kind: 'stickiness', range, series }],
  ['lifecycle', { kind: 'lifecycle', range, interval: 'month' }],
])('accepts %s', (_what, query) => {
  expect(insightQuery.safeParse(query).error?.issues).toBeUndefined();
});

test.each([
  ['kind', { kind: 'flows', range }],
  ['after', { kind: 'paths', range }],
  ['', { kind: 'lifecycle', range, events: 'x' }],
  ['series.0', { kind: 'stickiness', range, series: [{ event: 'a', measure: 'sum' }] }],
  ['series.0.where.0', { kind: 'trends', range, series: [{ event: 'a', where: [{ is: 'x' }] }] }],
  ['range.to', { kind: 'lifecycle', range: { from: '2026-03-02', to: '2026-03-01' } }],
  ['timezone', { kind: 'lifecycle', range, timezone: '+02:00' }],
  ['timezone', { kind: 'lifecycle', range, timezone: 'Mars/Base' }],
  ['series.0.property', { kind: 'trends', range, series: [{ event: 'a', measure: 'sum' }] }],
  ['series.0.property', { kind: 'trends', range, series: [{ event: 'a', measure: 'unique' }] }],
  [
    'series.0.measure',
    { kind: 'trends', range, series: [{ event: 'a', measure: 'people' }], running: 'total' },
  ],
  ['display', { kind: 'trends', range, series, display: 'globe' }],
  ['breakdown', { kind: 'trends', range, series, display: 'map' }],
  [
    'breakdown.and',
    { kind: 'trends', range, series, display: 'map', breakdown: { ...byCountry, and: [byCountry] } },
  ],
  [
    'breakdown.ranges',
    { kind: 'trends', range, series, display: 'map', breakdown: { ...byCountry, ranges: [1] } },
  ],
  [
    'breakdown.limit',
    { kind: 'trends', range, series, display: 'map', breakdown: { ...byCountry, limit: 11 } },
  ],
  ['series', { kind: 'trends', range, series: [start, start], display: 'map', breakdown: byCountry }],
  [
    'running',
    { kind: 'trends', range, series, display: 'map', breakdown: byCountry, running: { average: 7 } },
  ],
  ['display', { kind: 'trends', range, series, display: 'map', breakdown: byCountry, goal: { value: 1 } }],
  ['display', { kind: 'trends', range, series, display: 'pie', formula: 'A' }],
  ['display', { kind: 'trends', range, series, display: 'pie', goal: { value: 1 } }],
  ['series.0.measure', { kind: 'trends', range, series: [{ ...start, measure: 'people' }], display: 'pie' }],
  [
    'series.1.measure',
    { kind: 'trends', range, series: [start, { ...start, measure: 'sessions' }], display: 'pie' },
  ],
  ['display', { kind: 'trends', range, series, display: 'number', formula: 'A' }],
  ['display', { kind: 'trends', range, series, display: 'area', formula: 'A' }],
  ['display', { kind: 'trends', range, series, display: 'table', goal: { value: 1 } }],
  [
    'series.0.measure',
    { kind: 'trends', range, series: [{ ...start, measure: 'people' }], display: 'number' },
  ],
  [
    'series.0.measure',
    { kind: 'trends', range, series: [{ ...start, measure: 'bounce_rate' }], display: 'area' },
  ],
  ['', { kind: 'lifecycle', range, display: 'table' }],
  ['goal.value', { kind: 'trends', range, series, goal: { value: 1e16 } }],
  ['goal.label', { kind: 'trends', range, series, goal: { value: 1, label: 'x'.repeat(61) } }],
  ['', { kind: 'stickiness', range, series, goal: { value: 1 } }],
  ['formula', { kind: 'trends', range, series, formula: 'A /' }],
  ['formula', { kind: 'trends', range, series, formula: 'A / B' }],
  ['breakdown.ranges', { kind: 'trends', range, series, breakdown: { property: 'x', ranges: [2, 1] } }],
  [
    'breakdown.and',
    { kind: 'trends', range, series, breakdown: { property: 'x', and: Array(3).fill({ property: 'y' }) } },
  ],
  ['breakdown.limit', { kind: 'trends', range, series, breakdown: { property: 'x', limit: 11 } }],
  ['series', { kind: 'trends', range, series: Array(13).fill(start) }],
  ['steps', { kind: 'funnel', range, steps: [start] }],
  [
    'breakdown',
    {
      ...{ kind: 'funnel', range, steps: [start, start] },
      ...{ view: 'time_to_convert', breakdown: { property: 'plan' } },
    },
  ],
  ['steps.0.optional', { kind: 'funnel', range, steps: [{ ...start, optional: true }, start] }],
  ['steps.1.optional', { kind: 'funnel', range, steps: [start, { ...start, optional: true }] }],
  [
    'steps.1.optional',
    { kind: 'funnel', range, steps: [start, { ...start, optional: true }, start], order: 'any' },
  ],
  [
    'exclude.0.to',
    {
      kind: 'funnel',
      range,
      steps: [start, { ...start, optional: true }, start],
      exclude: [{ ...start, to: 1 }],
    },
  ],
  [
    'exclude.0.from',
    { kind: 'funnel', range, steps: [start, start], order: 'any', exclude: [{ ...start, from: 0 }] },
  ],
  ['exclude.0.from', { kind: 'funnel', range, steps: [start, start], exclude: [{ ...start, from: 1 }] }],
  ['exclude.0.to', { kind: 'funnel', range, steps: [start, start], exclude: [{ ...start, to: 2 }] }],
  ['exclude.0.to', { kind: 'funnel', range, steps: [start, start], exclude: [{ ...start, from: 1, to: 1 }] }],
  [
    'exclude',
    {
      kind: 'funnel',
      range,
      steps: Array(20).fill(start),
      exclude: [start, { ...start, from: 1 }, { ...start, from: 2 }],
    },
  ],
])('refuses an invalid query at %s', (path, query) => {
  const issues = insightQuery.safeParse(query).error?.issues ?? [];
  const paths = issues.flatMap((issue) =>
    issue.code === 'invalid_union'
      ? issue.errors.flat().map((inner) => [...issue.path, ...inner.path])
      : [issue.path],
  );
  expect([...paths, ...issues.map((issue) => issue.path)].map((parts) => parts.join('.'))).toContain(path);
});

describe('the limits of a question', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const wide = (parts: number) => Object.fromEntries(Array.from({ length: parts }, (_, index) => [index, 0]));
  const eq = (value: unknown) => ({ attribute: 'p', op: 'eq', value });
  const many = (count: number, value: unknown = 'x') => Array(count).fill(eq(value));
  const trends = (where: unknown[], count = 1, own: unknown[] = []) => ({
    ...{ kind: 'trends', range, where },
    series: Array(count).fill({ event: 'a', where: own }),
  });
  const faultOf = (query: unknown) => {
    const [issue] = insightQuery.safeParse(query).error?.issues ?? [];
    return issue && `${issue.path.join('.')}: ${issue.message}`;
  };

  test.each([
    ['10 levels', trends([eq(nested(10))])],
    ['199 parts of an object', trends([eq(wide(199))])],
    ['200 conditions', trends(many(15), 10, many(5))],
    ['5,000 values of a list', trends([{ attribute: 'p', op: 'in', value: Array(5000).fill(1) }])],
  ])('accepts a question with %s', (_what, query) => {
    expect(faultOf(query)).toBeUndefined();
  });

  test.each([
    ['11 levels', trends([eq(nested(11))]), /^where\.0\.value: .*deeper than 10 levels/],
    ['58 levels in 25 clauses', trends(many(25, nested(58))), /deeper than 10 levels/],
    ['200 parts of an object', trends([eq(wide(200))]), /^where\.0\.value: .*more than 200 parts/],
    ['190 parts in each of 50 clauses', trends(many(50, wide(190))), /^where\.1\.value: .*than 200 parts/],
    [
      'parts in a list',
      trends([], 1, [{ attribute: 'p', op: 'in', value: [wide(100), wide(100)] }]),
      /200 parts/,
    ],
    [
      '21 conditions in each of 10 series',
      trends(many(16), 10, many(5)),
      /^series\.\d\.where\.\d: more than 200/,
    ],
    [
      'parts in an event that is left out',
      { kind: 'funnel', range, steps: [start, start], exclude: [{ event: 'a', where: [eq(wide(200))] }] },
      /^exclude\.0\.where\.0\.value: /,
    ],
    [
      'parts in a return event',
      { kind: 'retention', range, start, return: { event: 'a', where: [eq(wide(200))] }, periods: 1 },
      /^return\.where\.0\.value: /,
    ],
    ['more than 100 kB', trends([eq('x'.repeat(100_000))]), /larger than 100000 bytes/],
  ])('refuses a question with %s', (_what, query, fault) => {
    expect(faultOf(query)).toMatch(fault);
  });
});
