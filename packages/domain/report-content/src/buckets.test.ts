import { describe, expect, it } from 'vitest';
import { daysOfBuckets, intervalOf } from './buckets.ts';

describe('the days of buckets', () => {
  it('ends each bucket the day before the next, and gives the last one the length of the one before', () => {
    expect(daysOfBuckets(['2028-02-28', '2028-02-29', '2028-03-01'])).toEqual([
      { from: '2028-02-28', to: '2028-02-28' },
      { from: '2028-02-29', to: '2028-02-29' },
      { from: '2028-03-01', to: '2028-03-01' },
    ]);
    expect(daysOfBuckets(['2026-03-02', '2026-03-09'])).toEqual([
      { from: '2026-03-02', to: '2026-03-08' },
      { from: '2026-03-09', to: '2026-03-15' },
    ]);
    expect(daysOfBuckets(['2026-03-02'])).toEqual([{ from: '2026-03-02', to: '2026-03-02' }]);
  });

  it.each([
    [['a', 'b']],
    [['2026-03-02', 'b']],
    [['2026-03-02', '2026-03-01']],
    [['2026-13-02']],
    [['2026-3-2']],
  ])('returns no days for %j', (buckets) => {
    expect(daysOfBuckets(buckets)).toBeUndefined();
  });
});

describe('an hour', () => {
  it('covers the day of an hour', () => {
    expect(daysOfBuckets(['2026-03-02T23:00', '2026-03-03T00:00'])).toEqual([
      { from: '2026-03-02', to: '2026-03-02' },
      { from: '2026-03-03', to: '2026-03-03' },
    ]);
    expect(daysOfBuckets(['2026-03-02T23:00', '2026-03-02T22:00'])).toBeUndefined();
    expect(daysOfBuckets(['2026-03-02T24:00'])).toBeUndefined();
  });
});

describe('the interval of buckets', () => {
  it.each([
    [['2026-03-02T23:00', '2026-03-03T00:00'], undefined, 'hour'],
    [['2026-03-02', '2026-03-03'], undefined, 'day'],
    [['2026-03-02', '2026-03-09', '2026-03-16'], undefined, 'week'],
    [['2026-03-02'], 'week', 'week'],
    [['2026-02-01', '2026-03-01', '2026-04-01'], undefined, 'month'],
    [['2026-02-01', '2026-05-01'], undefined, 'day'],
    [['1', '2'], 'day', undefined],
  ] as const)('reads the interval of %j named %s as %s', (buckets, named, interval) => {
    expect(intervalOf(buckets, named)).toBe(interval);
  });
});
