import { daysOfBuckets } from '@switchboard/report-content';
import { describe, expect, it } from 'vitest';
import { marksOn } from './marks.ts';

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
  ])('marks the buckets of an annotation from %s to %s', (startsOn, endsOn, marks) => {
    expect(at(startsOn, endsOn)).toEqual(marks);
  });
});
