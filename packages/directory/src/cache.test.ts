import { describe, expect, it } from 'vitest';
import { createCache } from './cache.ts';

/** A source whose answers are given by hand, so that a change can fall between a read and its answer. */
function source() {
  const waiting: { id: string; answer(value: string | undefined): void; fail(error: Error): void }[] = [];
  const cache = createCache<string>({
    capacity: 100,
    isAway: (error) => error instanceof Error && error.message === 'away',
    read: (id) =>
      new Promise((resolve, reject) => {
        waiting.push({
          id,
          answer: (value) => resolve(value === undefined ? undefined : { id, value }),
          fail: reject,
        });
      }),
  });
  async function answered(id: string, value: string | undefined) {
    const got = cache.get(id);
    waiting.pop()?.answer(value);
    return got;
  }
  return { cache, waiting, answered };
}

describe('a cached entry', () => {
  it('is read once for callers that ask together', async () => {
    const { cache, waiting } = source();
    const both = Promise.all([cache.get('a'), cache.get('a')]);
    expect(waiting).toHaveLength(1);
    waiting[0]?.answer('1');
    expect(await both).toEqual(['1', '1']);
    expect(cache.get('a')).toBe('1');
  });

  it('is not kept when its change was announced during the read', async () => {
    const { cache, waiting } = source();
    const old = cache.get('a');
    cache.drop('a');
    const current = cache.get('a');
    waiting[1]?.answer('new');
    expect(await current).toBe('new');
    waiting[0]?.answer('old');
    await old;
    expect(cache.get('a')).toBe('new');
  });

  it('that was not there is remembered until its change is announced', async () => {
    const { cache, waiting, answered } = source();
    expect(await answered('a', undefined)).toBeUndefined();
    expect(cache.get('a')).toBeUndefined();
    expect(waiting).toHaveLength(0);
    cache.drop('a');
    expect(await answered('a', '1')).toBe('1');
  });

  it('is not kept when the read began before announcements were missed', async () => {
    const { cache, waiting, answered } = source();
    const old = cache.get('a');
    cache.distrust();
    waiting.pop()?.answer('old');
    await old;
    expect(await answered('a', 'new')).toBe('new');
  });
});

describe('a distrusted entry', () => {
  it('is read again before it is used', async () => {
    const { cache, answered } = source();
    await answered('a', '1');
    cache.distrust();
    expect(await answered('a', '2')).toBe('2');
    expect(cache.get('a')).toBe('2');
  });

  it('is used while the database is away, however often it is distrusted', async () => {
    const { cache, waiting, answered } = source();
    await answered('a', '1');
    for (let times = 0; times < 3; times++) {
      cache.distrust();
      const value = cache.get('a');
      waiting.pop()?.fail(new Error('away'));
      expect(await value).toBe('1');
    }
  });

  it('is used when the database does not answer at all', async () => {
    const { cache, answered } = source();
    await answered('a', '1');
    cache.distrust();
    expect(await cache.get('a')).toBe('1');
  });

  it('is gone once its change is announced, also while the database is away', async () => {
    const { cache, waiting, answered } = source();
    await answered('a', '1');
    cache.distrust();
    const value = cache.get('a');
    cache.drop('a');
    waiting.pop()?.fail(new Error('away'));
    await expect(value).rejects.toThrow('away');
  });
});

describe('memory', () => {
  it('keeps those used last when there are too many', async () => {
    const { cache, answered, waiting } = source();
    await answered('first', '1');
    for (let i = 0; i < 99; i++) await answered(`other ${i}`, 'x');
    cache.get('first');
    await answered('one more', 'x');
    expect(cache.size()).toBe(100);
    expect(cache.get('first')).toBe('1');
    void cache.get('other 0');
    expect(waiting.map(({ id }) => id)).toEqual(['other 0']);
  });

  it('lets no flood of unknown ids push out what is known', async () => {
    const { cache, answered } = source();
    await answered('known', '1');
    for (let i = 0; i < 1_000; i++) await answered(`unknown ${i}`, undefined);
    expect(cache.get('known')).toBe('1');
    expect(cache.size()).toBe(1);
  });
});
