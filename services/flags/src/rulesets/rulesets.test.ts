import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTextCache } from './rulesets.ts';
import type { RulesetText } from './store.ts';

const stored = (changedAt: string): RulesetText => ({ changedAt, json: '{"flags":[],"cohorts":[]}' });
const unavailable = () => Promise.reject(Object.assign(new Error('unavailable'), { code: 'ECONNREFUSED' }));

/** Creates a cache with loads that the test resolves in any order. All projects last changed at `changedAt`. */
function manualCache(changedAt = '1') {
  const loads: { projectId: string; resolve(ruleset: RulesetText): void }[] = [];
  const asked: (readonly string[])[] = [];
  const cache = createTextCache({
    maxBytes: 100_000_000,
    load: (projectId) => new Promise((resolve) => loads.push({ projectId, resolve })),
    async changesOf(projectIds) {
      asked.push(projectIds);
      return projectIds.map(() => changedAt);
    },
  });
  return { cache, loads, asked };
}

describe('the ruleset cache', () => {
  it('loads a ruleset once for concurrent reads, and then answers from memory', async () => {
    const { cache, loads } = manualCache();
    const asked = [cache.get('p'), cache.get('p'), cache.get('p')];
    expect(loads).toHaveLength(1);
    loads[0]?.resolve(stored('1'));
    const [ruleset, ...others] = await Promise.all(asked);
    expect(ruleset).toMatchObject({ changedAt: '1' });
    for (const other of others) expect(other).toBe(ruleset);
    expect(cache.get('p')).toBe(ruleset);
  });

  it('discards a load that started before an invalidation', async () => {
    const { cache, loads } = manualCache();
    const before = cache.get('p');
    cache.invalidate('p');
    const after = cache.get('p');
    expect(loads).toHaveLength(2);
    loads[1]?.resolve(stored('new'));
    await after;
    loads[0]?.resolve(stored('old'));
    await before;
    expect(await cache.get('p')).toMatchObject({ changedAt: 'new' });
  });

  it('checks all projects once when changes may have been missed, and keeps unchanged ones', async () => {
    const { cache, loads, asked } = manualCache();
    const ids = Array.from({ length: 900 }, (_, number) => `p${number}`);
    const first = ids.map((id) => cache.get(id));
    for (const { resolve } of loads) resolve(stored('1'));
    const rulesets = await Promise.all(first);
    expect(asked).toHaveLength(0);
    cache.invalidateAll();
    const again = await Promise.all(ids.map((id) => cache.get(id)));
    expect(again.every((ruleset, index) => ruleset === rulesets[index])).toBe(true);
    expect(loads).toHaveLength(900);
    expect(asked).toEqual([ids.slice(0, 1), ids.slice(1)]);
  });

  it('does not read a ruleset again while no change is announced', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { cache, loads } = manualCache();
    const first = cache.get('p');
    loads[0]?.resolve(stored('1'));
    await first;
    vi.advanceTimersByTime(600_000);
    expect(cache.get('p')).toMatchObject({ changedAt: '1' });
    expect(loads).toHaveLength(1);
  });

  it('serves stale rulesets while the database is unavailable, and fails for ones never loaded', async () => {
    let load = async () => stored('1');
    const cache = createTextCache({
      maxBytes: 1_000_000,
      load: () => load(),
      changesOf: async (projectIds) => {
        const { changedAt } = await load();
        return projectIds.map(() => changedAt);
      },
    });
    await cache.get('p');
    expect(cache.isFresh('p')).toBe(true);
    load = unavailable;
    cache.invalidateAll();
    expect(cache.isFresh('p')).toBe(false);
    expect(await cache.get('p')).toMatchObject({ changedAt: '1' });
    expect(cache.isFresh('p')).toBe(false);
    await expect(cache.get('q')).rejects.toThrow('unavailable');
    load = async () => stored('2');
    cache.invalidate('p');
    expect(await cache.get('p')).toMatchObject({ changedAt: '2' });
    expect(cache.isFresh('p')).toBe(true);
  });

  it('serves a stale ruleset while a load is slow, and keeps its result', async () => {
    const { cache, loads } = manualCache('2');
    const first = cache.get('p');
    loads[0]?.resolve(stored('1'));
    await first;
    cache.invalidate('p');
    expect(await cache.get('p')).toMatchObject({ changedAt: '1' });
    expect(cache.isFresh('p')).toBe(false);
    loads[1]?.resolve(stored('2'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(cache.get('p')).toMatchObject({ changedAt: '2' });
    expect(cache.isFresh('p')).toBe(true);
    expect(loads).toHaveLength(2);
  });

  it('evicts the least recently used ruleset when full', async () => {
    const loaded: string[] = [];
    const cache = createTextCache({
      maxBytes: 10 * (stored('1').json.length + 400),
      load: async (projectId) => {
        loaded.push(projectId);
        return stored('1');
      },
      changesOf: async (projectIds) => projectIds.map(() => '1'),
    });
    for (let project = 0; project < 11; project++) await cache.get(`p${project}`);
    await cache.get('p10');
    await cache.get('p0');
    expect(loaded.slice(-2)).toEqual(['p10', 'p0']);
  });
});
