import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDuration, medianOf, noDurations } from './durations.ts';

function expectedMedian(values: readonly number[]): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  const half = (sorted.length - 1) / 2;
  return values.length === 0 ? null : ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2;
}

test('finds the median of any durations, also after some were removed and others added', () => {
  const durations = fc.array(fc.nat({ max: 20 }), { maxLength: 200 });
  fc.assert(
    fc.property(durations, durations, fc.nat({ max: 200 }), (values, others, removed) => {
      const kept = noDurations();
      for (const value of values) addDuration(kept, value, 1);
      expect(medianOf(kept)).toBe(expectedMedian(values));
      for (const value of values.slice(0, removed)) addDuration(kept, value, -1);
      for (const value of others) addDuration(kept, value, 1);
      expect(medianOf(kept)).toBe(expectedMedian([...values.slice(removed), ...others]));
    }),
  );
});
