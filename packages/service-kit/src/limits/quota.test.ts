import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBuckets } from './quota.ts';

it('a bucket lets through its rate and a burst of ten seconds, and never more than a body above that', () => {
  const steps = fc.array(fc.record({ pause: fc.nat(3_000), bytes: fc.integer({ min: 1, max: 5_000 }) }), {
    minLength: 1,
    maxLength: 300,
  });
  fc.assert(
    fc.property(steps, (all) => {
      let now = 0;
      const buckets = createBuckets(1_000, () => now / 1_000);
      let sent = 0;
      for (const { pause, bytes } of all) {
        now += pause;
        const wait = buckets.wait('key');
        if (wait > 0) {
          now += wait * 1_000 + 0.001;
          expect(buckets.wait('key')).toBe(0);
        }
        buckets.take('key', bytes);
        sent += bytes;
        expect(sent).toBeLessThanOrEqual(10_000 + now + 5_000);
      }
    }),
  );
});

it('keys are counted apart, and memory for them is bounded', () => {
  let now = 0;
  const buckets = createBuckets(1_000, () => now);
  for (let i = 0; i < 250_000; i++) buckets.take(`key-${i}`, 20_000);
  expect(buckets.size()).toBeLessThanOrEqual(200_000);
  expect([buckets.wait('key-249999'), buckets.wait('another')]).toEqual([10, 0]);
  now = 60;
  for (let i = 0; i < 250_000; i++) buckets.take(`later-${i}`, 1);
  expect(buckets.wait('key-249999')).toBe(0);
});
