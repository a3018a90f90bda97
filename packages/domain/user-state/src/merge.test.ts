import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Bounds, OutOfBounds, type Properties, planMerge, type Stamp, toProperties } from './merge.ts';

interface Change {
  values: Record<string, unknown>;
  stamp: Stamp;
}

const BOUNDS: Bounds = { maxCount: 100, maxBytes: 100_000, tooMany: 'too many', tooLarge: 'too large' };

function merged(changes: readonly Change[], bounds: Partial<Bounds> = {}): Properties {
  const properties = toProperties({}, {});
  for (const { values, stamp } of changes) planMerge(properties, values, stamp, { ...BOUNDS, ...bounds })?.();
  return properties;
}

const valuesOf = (changes: readonly Change[]) => Object.fromEntries(merged(changes).values);

const name = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor', '');
const values = fc
  .array(fc.tuple(name, fc.option(fc.jsonValue(), { nil: null })), { maxLength: 4 })
  .map((entries) => Object.fromEntries(entries));

/** Changes with distinct stamps. Times collide often, offsets never. */
const changes = fc.array(fc.tuple(values, fc.nat(3), fc.nat(2)), { maxLength: 12 }).map((all) =>
  all.map(([changed, timestamp, arrival], offset): Change => {
    return { values: changed, stamp: [timestamp, arrival, offset] };
  }),
);

const reordered = changes.chain((all) =>
  fc.record({ all: fc.constant(all), shuffled: fc.shuffledSubarray(all, { minLength: all.length }) }),
);

describe('the merging of properties', () => {
  it('merges to the same result in any order', () => {
    fc.assert(
      fc.property(reordered, ({ all, shuffled }) => {
        expect(merged(shuffled)).toEqual(merged(all));
      }),
    );
  });

  it('merges to the same result when changes repeat', () => {
    fc.assert(
      fc.property(
        changes,
        changes.chain((all) => fc.shuffledSubarray(all)),
        (all, some) => {
          expect(merged([...all, ...all.filter((_, index) => index < some.length)])).toEqual(merged(all));
        },
      ),
    );
  });

  it('keeps the newest value of each property', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const byAge = all.toSorted(({ stamp: a }, { stamp: b }) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
        const newest = new Map(byAge.flatMap((change) => Object.entries(change.values)));
        for (const [property, value] of newest) if (value === null) newest.delete(property);
        expect(merged(all).values).toEqual(newest);
      }),
    );
  });

  it('decides equal timestamps by arrival', () => {
    const first: Change = { values: { plan: 'pro' }, stamp: [5, 10, 1] };
    const second: Change = { values: { plan: 'team' }, stamp: [5, 11, 0] };
    const third: Change = { values: { plan: 'free' }, stamp: [5, 11, 2] };
    expect(valuesOf([second, first])).toEqual({ plan: 'team' });
    expect(valuesOf([third, second, first])).toEqual({ plan: 'free' });
  });

  it('keeps the first value of a property that is set once, and any value that is set otherwise', () => {
    const once = (values: object, at: number, arrival: number) => ({
      values,
      stamp: [-at, arrival, arrival] as const,
    });
    const apply = (...changes: { values: object; stamp: Stamp }[]) => {
      const properties = toProperties({}, {});
      for (const { values, stamp } of changes) planMerge(properties, { ...values }, stamp, BOUNDS)?.();
      return properties.values.get('source');
    };
    const [first, second] = [once({ source: 'news' }, 5, 5), once({ source: 'search' }, 5, 6)];
    const plain = { values: { source: 'typed' }, stamp: [1, 1, 1] as const };
    expect([apply(first, second), apply(second, first), apply(first, first)]).toEqual([
      'news',
      'news',
      'news',
    ]);
    expect([apply(first, plain), apply(plain, second)]).toEqual(['typed', 'typed']);
  });

  it('does not restore a removed property from an older change', () => {
    const set: Change = { values: { plan: 'pro', seats: 1 }, stamp: [1, 1, 1] };
    const removed: Change = { values: { plan: null }, stamp: [2, 2, 2] };
    expect(valuesOf([removed, set])).toEqual({ seats: 1 });
  });
});

describe('the bounds of properties', () => {
  const set = (values: Record<string, unknown>, second: number): Change => ({
    values,
    stamp: [second, second, second],
  });

  it('refuses an oversized change as a whole', () => {
    const properties = merged([set({ a: 1, b: 2 }, 1)]);
    const bounds = { ...BOUNDS, maxCount: 3 };
    expect(() => planMerge(properties, { a: 5, c: 3, d: 4 }, [2, 2, 2], bounds)).toThrow(
      new OutOfBounds('too many'),
    );
    expect(properties).toEqual(merged([set({ a: 1, b: 2 }, 1)]));
  });

  it('counts the bytes of the properties that are kept', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const { values, stamps, bytes } = merged(all);
        const kept = Object.fromEntries([...stamps.keys()].map((key) => [key, values.get(key) ?? null]));
        expect(bytes).toBe(stamps.size === 0 ? 0 : Buffer.byteLength(JSON.stringify(kept)) - 1);
        expect(toProperties(Object.fromEntries(values), Object.fromEntries(stamps)).bytes).toBe(bytes);
      }),
    );
  });

  it('never exceeds the bounds', () => {
    const wide = fc.array(
      fc.dictionary(fc.string({ maxLength: 3 }), fc.option(fc.string({ maxLength: 20 }), { nil: null })),
    );
    fc.assert(
      fc.property(wide, (all) => {
        const properties = toProperties({}, {});
        for (const [second, values] of all.entries()) {
          try {
            planMerge(properties, values, [second, 0, 0], { ...BOUNDS, maxCount: 8, maxBytes: 90 })?.();
          } catch (error) {
            expect(error).toBeInstanceOf(OutOfBounds);
          }
          expect(properties.stamps.size).toBeLessThanOrEqual(8);
          expect(properties.bytes).toBeLessThanOrEqual(90);
        }
      }),
    );
  });

  it('forgets the oldest removals first', () => {
    const removals = [set({ b: null }, 2), set({ a: null }, 1), set({ c: null }, 3)];
    const { values, stamps } = merged([...removals, set({ d: 1 }, 4)], { maxCount: 3 });
    expect([...stamps.keys()].sort()).toEqual(['b', 'c', 'd']);
    expect(values).toEqual(new Map([['d', 1]]));
  });
});
