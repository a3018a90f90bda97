import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseVariation, inRollout, rolloutBucket } from './rollout.ts';

const percentages = fc.integer({ min: 0, max: 100 });

describe('the rollout of a flag', () => {
  test.each([
    ['gr1', '123', 73],
    ['groupX', '999', 25],
  ])('the bucket of %s:%s is %d', (key, id, bucket) => {
    expect(rolloutBucket(key, id)).toBe(bucket);
    expect(inRollout(bucket, key, id)).toBe(true);
    expect(inRollout(bucket - 1, key, id)).toBe(false);
  });

  test('a higher percentage removes no one', () => {
    fc.assert(
      fc.property(percentages, percentages, fc.string(), fc.string(), (one, other, key, id) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        expect(inRollout(low, key, id) && !inRollout(high, key, id)).toBe(false);
      }),
    );
  });

  test('a rollout of 0 includes no one, and a rollout of 100 everyone, even the empty id', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (key, id) => {
        expect([inRollout(0, key, id), inRollout(100, key, id)]).toEqual([false, true]);
      }),
    );
    expect([inRollout(99, 'flag', ''), inRollout(100, 'flag', '')]).toEqual([false, true]);
  });

  test('a rollout includes its percentage of people', () => {
    let inside = 0;
    for (let id = 0; id < 100_000; id++) if (inRollout(30, 'checkout', `person-${id}`)) inside++;
    expect(inside).toBeGreaterThan(29_300);
    expect(inside).toBeLessThan(30_700);
  });
});

describe('the variations of a flag', () => {
  const variation = (key: string, weight: number) => ({ key, weight });

  test('people are split by weight, within five standard deviations', () => {
    const variations = [variation('a', 1), variation('b', 0), variation('c', 2), variation('d', 7)];
    const counts = new Map<string | undefined, number>();
    for (let id = 0; id < 100_000; id++) {
      const served = chooseVariation(variations, 'checkout', `person-${id}`)?.key;
      counts.set(served, (counts.get(served) ?? 0) + 1);
    }
    expect(counts.get('b')).toBeUndefined();
    for (const { key, weight } of variations) {
      const share = weight / 10;
      const deviation = Math.sqrt(100_000 * share * (1 - share));
      expect(Math.abs((counts.get(key) ?? 0) - 100_000 * share)).toBeLessThanOrEqual(5 * deviation);
    }
  });

  test('the split is independent of the rollout: people in a 10 percent rollout get every variation', () => {
    const served = new Set<string | undefined>();
    for (let id = 0; id < 1000; id++) {
      if (!inRollout(10, 'checkout', `person-${id}`)) continue;
      served.add(chooseVariation([variation('a', 1), variation('b', 1)], 'checkout', `person-${id}`)?.key);
    }
    expect(served).toEqual(new Set(['a', 'b']));
  });

  test('an empty id gets the first variation with a weight', () => {
    const variations = [variation('none', 0), variation('first', 1), variation('second', 99)];
    expect(chooseVariation(variations, 'checkout', '')?.key).toBe('first');
  });

  test('no variation is served without any weight', () => {
    expect(chooseVariation([variation('a', 0)], 'checkout', 'anna')).toBeUndefined();
  });
});
