import { expect, test } from 'vitest';
import { insightQuery } from './query.ts';

const range = { last: 7, unit: 'day' };
const series = [{ event: 'order placed' }];
const start = { event: 'signed up' };

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
      breakdown: { property: 'trait.plan' },
      compare: 'previous',
      where: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
    },
  ],
  [
    'a breakdown of as many series as there may be',
    { kind: 'trends', range, series: Array(12).fill(start), breakdown: { property: 'x', limit: 10 } },
  ],
  ['a funnel', { kind: 'funnel', range, steps: [start, ...series], window: { count: 1, unit: 'day' } }],
  ['retention', { kind: 'retention', range, start, return: start, periods: 8, mode: 'every' }],
  ['stickiness', { kind: 'stickiness', range, series }],
  ['lifecycle', { kind: 'lifecycle', range, interval: 'month' }],
])('accepts %s', (_what, query) => {
  expect(insightQuery.safeParse(query).error?.issues).toBeUndefined();
});

test.each([
  ['kind', { kind: 'paths', range }],
  ['', { kind: 'lifecycle', range, events: 'x' }],
  ['series.0', { kind: 'stickiness', range, series: [{ event: 'a', measure: 'sum' }] }],
  ['series.0.where.0', { kind: 'trends', range, series: [{ event: 'a', where: [{ is: 'x' }] }] }],
  ['range.to', { kind: 'lifecycle', range: { from: '2026-03-02', to: '2026-03-01' } }],
  ['timezone', { kind: 'lifecycle', range, timezone: '+02:00' }],
  ['timezone', { kind: 'lifecycle', range, timezone: 'Mars/Base' }],
  ['series.0.property', { kind: 'trends', range, series: [{ event: 'a', measure: 'sum' }] }],
  ['breakdown.limit', { kind: 'trends', range, series, breakdown: { property: 'x', limit: 11 } }],
  ['series', { kind: 'trends', range, series: Array(13).fill(start) }],
  ['steps', { kind: 'funnel', range, steps: [start] }],
])('refuses at %s', (path, query) => {
  const issues = insightQuery.safeParse(query).error?.issues ?? [];
  const paths = issues.flatMap((issue) =>
    issue.code === 'invalid_union'
      ? issue.errors.flat().map((inner) => [...issue.path, ...inner.path])
      : [issue.path],
  );
  expect([...paths, ...issues.map((issue) => issue.path)].map((parts) => parts.join('.'))).toContain(path);
});
