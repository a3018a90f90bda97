import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBuckets } from './token-buckets.ts';

it('a bucket allows its rate and a burst of two seconds, and never more than one body above that', () => {
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
        expect(sent).toBeLessThanOrEqual(2_000 + now + 5_000);
      }
    }),
  );
});

it('counts keys separately, with bounded memory', () => {
  let now = 0;
  const buckets = createBuckets(1_000, () => now);
  for (let i = 0; i < 250_000; i++) buckets.take(`key-${i}`, 20_000);
  expect(buckets.size()).toBeLessThanOrEqual(200_000);
  expect([buckets.wait('key-249999'), buckets.wait('another')]).toEqual([18, 0]);
  now = 60;
  for (let i = 0; i < 250_000; i++) buckets.take(`later-${i}`, 1);
  expect(buckets.wait('key-249999')).toBe(0);
});

it('limits instances that share their counts by the sum', () => {
  let now = 0;
  const [one, other] = [createBuckets(1_000, () => now), createBuckets(1_000, () => now)];
  one.take('key', 2_000);
  other.take('key', 1_500);
  expect([one.wait('key'), other.wait('key')]).toEqual([0, 0]);
  let together = 0;
  for (const buckets of [one, other]) {
    for (const seconds of buckets.unshared(0.05).values()) {
      together += seconds;
      buckets.merge('key', together);
    }
  }
  expect([one.wait('key'), other.wait('key')]).toEqual([0, 1.5]);
  one.take('key', 100);
  for (const seconds of one.unshared(0.05).values()) one.merge('key', together + seconds);
  expect(one.wait('key')).toBeCloseTo(1.6);
  expect(one.unshared(0.05).size).toBe(0);
  now = 1.7;
  expect([one.wait('key'), other.wait('key')]).toEqual([0, 0]);
});
