import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type CacheOptions, createCache } from './cache.ts';

type Value = string | undefined;

const unavailable = () => new Error('unavailable');

/** Creates a source with manual responses, so that a change can occur between a load and its response. */
function source(options: Partial<CacheOptions<Value>> = {}) {
  const waiting: { key: string; last: Value; answer(value: Value): void; fail(error: Error): void }[] = [];
  const cache = createCache<Value>({
    maxBytes: 1_000_000,
    sizeOf: (value) => value.length,
    isUnavailable: (error) => error instanceof Error && error.message === 'unavailable',
    load: (key, last) =>
      new Promise((resolve, reject) => waiting.push({ key, last, answer: resolve, fail: reject })),
    ...options,
  });
  async function answered(key: string, value: Value) {
    const got = cache.get(key);
    waiting.pop()?.answer(value);
    return got;
  }
  async function failed(key: string, error = unavailable()) {
    const got = cache.get(key);
    waiting.pop()?.fail(error);
    return got;
  }
  return { cache, waiting, answered, failed };
}

describe('a cached value', () => {
  it('loads a value once for concurrent callers, and returns it without a promise afterwards', async () => {
    const { cache, waiting } = source();
    const both = Promise.all([cache.get('a'), cache.get('a')]);
    expect(waiting).toHaveLength(1);
    waiting[0]?.answer('1');
    expect(await both).toEqual(['1', '1']);
    expect(cache.get('a')).toBe('1');
    expect(cache.isFresh('a')).toBe(true);
    expect(cache.reads()).toEqual({ hits: 1, misses: 2 });
  });

  it.each(['invalidate', 'drop', 'invalidateAll', 'invalidateMissing'] as const)(
    'does not keep a value when its load began before %s',
    async (change) => {
      const { cache, waiting } = source();
      const before = cache.get('a');
      cache[change]('a');
      const after = cache.get('a');
      expect(waiting).toHaveLength(2);
      waiting[1]?.answer('new');
      expect(await after).toBe('new');
      waiting[0]?.answer('old');
      expect(await before).toBe('old');
      expect(cache.get('a')).toBe('new');
    },
  );

  it.each(['invalidate', 'drop', 'invalidateAll', 'invalidateMissing'] as const)(
    'does not keep a value when no one asks between %s and the end of its load',
    async (change) => {
      const { cache, waiting, answered } = source();
      const before = cache.get('a');
      cache[change]('a');
      waiting.pop()?.answer('old');
      await before;
      expect(await answered('a', 'new')).toBe('new');
    },
  );

  it('does not replace a value with a load that began before its invalidation', async () => {
    const { cache, waiting, answered } = source();
    await answered('a', '1');
    cache.invalidate('a');
    const before = cache.get('a');
    cache.invalidateAll();
    waiting.pop()?.answer('2');
    await before;
    expect(await answered('a', '3')).toBe('3');
    expect(cache.get('a')).toBe('3');
  });

  it('loads a value again when it is too old, and offers the last value', async () => {
    const { cache, waiting, answered } = source({ freshForMs: 20 });
    await answered('a', '1');
    await sleep(30);
    expect(cache.isFresh('a')).toBe(false);
    const got = cache.get('a');
    expect(waiting[0]?.last).toBe('1');
    waiting[0]?.answer('2');
    expect(await got).toBe('2');
  });

  it('fails with the error of a load, and loads again for the next caller', async () => {
    const { answered, failed } = source();
    await expect(failed('a')).rejects.toThrow('unavailable');
    await expect(failed('a', new Error('a defect'))).rejects.toThrow('a defect');
    expect(await answered('a', '1')).toBe('1');
  });

  it('fails if the first load takes too long, and caches the value when it arrives', async () => {
    const { cache, waiting } = source({ loadTimeoutMs: 20 });
    await expect(cache.get('a')).rejects.toThrow('no answer within 20 ms');
    waiting[0]?.answer('1');
    await turn();
    expect(cache.get('a')).toBe('1');
  });
});

describe('a key without a value', () => {
  it('remembers a key without a value until it changes', async () => {
    const { cache, waiting, answered } = source();
    expect(await answered('a', undefined)).toBeUndefined();
    expect(cache.get('a')).toBeUndefined();
    expect(waiting).toHaveLength(0);
    for (const change of ['drop', 'invalidate', 'invalidateAll', 'invalidateMissing'] as const) {
      await answered('a', undefined);
      cache[change]('a');
      const got = cache.get('a');
      expect(waiting).toHaveLength(1);
      waiting.pop()?.answer('1');
      expect(await got).toBe('1');
      cache.drop('a');
    }
  });

  it('loads missing keys again when they may have values, and keeps known values', async () => {
    const { cache, waiting, answered } = source();
    await answered('known', '1');
    await answered('unknown', undefined);
    cache.invalidateMissing();
    expect(cache.get('known')).toBe('1');
    expect(waiting).toHaveLength(0);
    expect(await answered('unknown', '2')).toBe('2');
  });

  it('remembers a key without a value for a limited time', async () => {
    const { answered } = source({ missingForMs: 10 });
    await answered('a', undefined);
    await sleep(20);
    expect(await answered('a', '1')).toBe('1');
  });

  it('does not remember a missing key that was invalidated during its load', async () => {
    const { cache, waiting, answered } = source();
    const before = cache.get('a');
    cache.drop('a');
    waiting.pop()?.answer(undefined);
    expect(await before).toBeUndefined();
    expect(await answered('a', '1')).toBe('1');
  });

  it('replaces a value that no longer exists', async () => {
    const { cache, answered } = source();
    await answered('a', '1');
    cache.invalidate('a');
    expect(await answered('a', undefined)).toBeUndefined();
    expect(cache.get('a')).toBeUndefined();
    expect(cache.size()).toBe(0);
  });

  it('evicts no value for missing keys, however many there are', async () => {
    const { cache, answered } = source({ maxBytes: 500 });
    await answered('known', '1');
    for (let i = 0; i < 1_000; i++) await answered(`unknown ${i}`, undefined);
    expect(cache.get('known')).toBe('1');
    expect(cache.size()).toBe(1);
  });
});

describe('a stale value', () => {
  it.each(['invalidate', 'invalidateAll'] as const)('loads a stale value again after %s', async (change) => {
    const { cache, answered } = source();
    await answered('a', '1');
    cache[change]('a');
    expect(cache.isFresh('a')).toBe(false);
    expect(await answered('a', '2')).toBe('2');
    expect(cache.get('a')).toBe('2');
    expect(cache.isFresh('a')).toBe(true);
  });

  it('uses a stale value while the source is unavailable, however often it is invalidated', async () => {
    const { cache, answered, failed } = source();
    await answered('a', '1');
    for (const change of ['invalidate', 'invalidateAll', 'invalidateAll'] as const) {
      cache[change]('a');
      expect(await failed('a')).toBe('1');
      expect(cache.get('a')).toBe('1');
      expect(cache.isFresh('a')).toBe(false);
    }
  });

  it('uses a stale value without another load for a short time only', async () => {
    const { cache, waiting, answered, failed } = source({ staleForMs: 20 });
    await answered('a', '1');
    cache.invalidateAll();
    await failed('a');
    expect(cache.get('a')).toBe('1');
    expect(waiting).toHaveLength(0);
    await sleep(30);
    expect(await answered('a', '2')).toBe('2');
  });

  it('uses a stale value while the source does not answer, and replaces it when it does', async () => {
    const { cache, waiting, answered } = source({ patienceMs: 20 });
    await answered('a', '1');
    cache.invalidate('a');
    expect(await cache.get('a')).toBe('1');
    expect(waiting).toHaveLength(1);
    waiting.pop()?.answer('2');
    await turn();
    expect(cache.get('a')).toBe('2');
    expect(cache.isFresh('a')).toBe(true);
  });

  it('reports a defect instead of using a stale value', async () => {
    const { cache, answered, failed } = source();
    await answered('a', '1');
    cache.invalidate('a');
    await expect(failed('a', new Error('a defect'))).rejects.toThrow('a defect');
    expect(await answered('a', '2')).toBe('2');
  });

  it('uses a stale value when it is invalidated again during a load that fails', async () => {
    const { cache, waiting, answered } = source();
    await answered('a', '1');
    cache.invalidate('a');
    const got = cache.get('a');
    cache.invalidateAll();
    waiting.pop()?.fail(unavailable());
    expect(await got).toBe('1');
  });

  it('never uses a stale value again after it was dropped', async () => {
    const { cache, waiting, answered, failed } = source();
    await answered('a', '1');
    cache.invalidate('a');
    const got = cache.get('a');
    cache.drop('a');
    waiting.pop()?.fail(unavailable());
    await expect(got).rejects.toThrow('unavailable');
    await expect(failed('a')).rejects.toThrow('unavailable');
  });
});

describe('the memory of a cache', () => {
  it('keeps the most recently used values', async () => {
    const { cache, answered, waiting } = source({ maxBytes: 50_000, sizeOf: () => 700 });
    for (let i = 0; i < 100; i++) await answered(`value ${i}`, 'x');
    const held = cache.size();
    expect(held).toBeGreaterThan(50);
    cache.get('value 99');
    await answered('one more', 'x');
    expect(cache.size()).toBeLessThanOrEqual(held);
    expect(cache.bytes()).toBeLessThanOrEqual(50_000);
    expect(cache.get('value 99')).toBe('x');
    const evicted = cache.get('value 0');
    expect(waiting.map(({ key }) => key)).toEqual(['value 0']);
    waiting.pop()?.answer('x');
    expect(await evicted).toBe('x');
  });

  it('keeps even a value that is larger than the bound', async () => {
    const { cache, answered } = source({ maxBytes: 100 });
    await answered('a', 'x'.repeat(1_000));
    expect(cache.get('a')).toHaveLength(1_000);
    expect(cache.bytes()).toBe(100);
  });

  it('counts the size of a grown value again, without making it fresher', async () => {
    let size = 10;
    const { cache, answered } = source({ sizeOf: () => size, freshForMs: 1_000 });
    await answered('a', '1');
    const before = cache.bytes();
    size = 1_010;
    await sleep(600);
    cache.resized('a');
    expect(cache.bytes()).toBe(before + 1_000);
    expect(cache.get('a')).toBe('1');
    await sleep(600);
    expect(cache.isFresh('a')).toBe(false);
  });
});
