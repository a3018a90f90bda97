import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDurations } from './durations.ts';

test('finds the median of any durations', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 40 }), (values) => {
      const durations = createDurations();
      for (const value of values) durations.add(value);
      const sorted = values.toSorted((one, other) => one - other);
      const half = (sorted.length - 1) / 2;
      const expected = ((sorted[Math.floor(half)] ?? 0) + (sorted[Math.ceil(half)] ?? 0)) / 2;
      expect(durations.median()).toBe(values.length === 0 ? null : expected);
    }),
  );
});
