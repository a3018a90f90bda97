import { describe, expect, it } from 'vitest';
import { daysOfBuckets, marksOn } from './days.ts';

describe('the days of buckets', () => {
  it('end the day before the next bucket; the last is as long as the one before', () => {
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
  ])('are none for %j', (buckets) => {
    expect(daysOfBuckets(buckets)).toBeUndefined();
  });
});

describe('the mark of an annotation', () => {
  const days = daysOfBuckets(['2026-03-02', '2026-03-09', '2026-03-16']) ?? [];
  const at = (startsOn: string, endsOn: string) => marksOn(days, [{ startsOn, endsOn }]);

  it.each([
    ['2026-03-01', '2026-03-01', []],
    ['2026-03-01', '2026-03-02', [{ number: 1, first: 0, last: 0 }]],
    ['2026-03-08', '2026-03-09', [{ number: 1, first: 0, last: 1 }]],
    ['2026-01-01', '2026-12-31', [{ number: 1, first: 0, last: 2 }]],
    ['2026-03-22', '2026-03-22', [{ number: 1, first: 2, last: 2 }]],
    ['2026-03-23', '2026-03-23', []],
  ])('from %s to %s', (startsOn, endsOn, marks) => {
    expect(at(startsOn, endsOn)).toEqual(marks);
  });
});
