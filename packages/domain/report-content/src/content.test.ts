import { describe, expect, it } from 'vitest';
import { parseContent } from './content.ts';

const overBuckets = { buckets: ['2026-02-01', '2026-02-02'], series: [{ name: 'Web', values: [1, 2] }] };
const seriesOver = (buckets: number, series: number) => ({
  buckets: Array.from({ length: buckets }, (_, at) => `b${at}`),
  series: Array(series).fill({ name: 'x', values: Array(buckets).fill(1) }),
});
const funnel = {
  kind: 'funnel',
  steps: [
    { name: 'Seen', count: 200 },
    { name: 'Paid', count: 50 },
  ],
};
const grid = {
  kind: 'grid',
  periods: ['Week 0', 'Week 1'],
  rows: [{ name: 'A', size: 10, values: [100, 40] }],
};

describe('the report format', () => {
  it.each([
    [{ kind: 'line', ...overBuckets }],
    [{ kind: 'bar', ...overBuckets, title: 'T', unit: '€', breakdown: 'Country', description: 'D' }],
    [{ kind: 'line', buckets: ['a'], series: [{ name: 'x', values: [null] }] }],
    [{ kind: 'line', ...overBuckets, display: 'area' }],
    [{ kind: 'line', ...overBuckets, display: 'pie' }],
    [{ kind: 'line', ...overBuckets, display: 'map' }],
    [{ kind: 'line', ...seriesOver(1, 252), display: 'map' }],
    [{ kind: 'line', ...seriesOver(228, 252), display: 'map' }],
    [{ kind: 'bar', ...overBuckets, goal: { value: -3.5, label: 'Plan' } }],
    [funnel],
    [{ ...funnel, breakdown: 'Device', series: [{ name: 'Phone', values: [120, 10] }] }],
    [grid],
    [
      {
        ...grid,
        rows: [
          { name: 'A', values: [100] },
          { name: 'B', values: [] },
        ],
      },
    ],
    [{ kind: 'line', buckets: ['a'], series: Array(144).fill({ name: 'x', values: [1] }) }],
    [{ kind: 'line', buckets: ['a'], series: [{ name: 'Other', builtIn: 'other', values: [1] }] }],
    [{ ...grid, further: 'properties are no obstacle' }],
  ])('accepts %j as a report', (content) => {
    expect(parseContent(content)?.kind).toBe(content.kind);
  });

  it.each([
    [null],
    [7],
    ['line'],
    [[]],
    [{}],
    [{ kind: 'pie', ...overBuckets }],
    [{ kind: 'line', ...overBuckets, display: 'globe' }],
    [{ kind: 'bar', ...seriesOver(1, 145), display: 'map' }],
    [{ kind: 'line', ...seriesOver(1, 145), display: 'table' }],
    [{ kind: 'line', ...seriesOver(1, 253), display: 'map' }],
    [{ kind: 'line', ...seriesOver(229, 252), display: 'map' }],
    [{ kind: 'line', ...overBuckets, goal: { value: '3' } }],
    [{ kind: 'line', buckets: [], series: [{ name: 'x', values: [] }] }],
    [{ kind: 'line', buckets: ['a', 'b'], series: [{ name: 'x', values: [1] }] }],
    [{ kind: 'line', buckets: ['a', 'a'], series: [{ name: 'x', values: [1, 2] }] }],
    [{ kind: 'line', buckets: ['a'], series: [{ name: 'x', values: ['1'] }] }],
    [{ kind: 'line', buckets: Array.from({ length: 401 }, String), series: [] }],
    [{ kind: 'line', buckets: ['a'], series: Array(145).fill({ name: 'x', values: [1] }) }],
    [{ kind: 'line', buckets: ['a'], series: [{ name: 'Other', builtIn: 'rest', values: [1] }] }],
    [{ ...funnel, steps: [{ name: 'Seen', count: -1 }] }],
    [{ ...funnel, series: [{ name: 'Phone', values: [1] }] }],
    [{ ...grid, rows: [{ name: 'A', values: [1, 2, 3] }] }],
  ])('refuses %j as a report', (content) => {
    expect(parseContent(content)).toBeUndefined();
  });
});
