import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { compile } from './ruleset.ts';
import { createRulesetCache } from './rulesets.ts';
import type { StoredRuleset } from './store.ts';

const stored = (changedAt: string): StoredRuleset => ({ changedAt, flags: [], cohorts: [] });
const unavailable = () => Promise.reject(Object.assign(new Error('unavailable'), { code: 'ECONNREFUSED' }));

/** A cache whose loads the test resolves, in any order. */
function manualCache(maxBytes = 1_000_000) {
  const loads: { projectId: string; resolve(ruleset: StoredRuleset): void }[] = [];
  const cache = createRulesetCache({
    maxBytes,
    load: (projectId) => new Promise((resolve) => loads.push({ projectId, resolve })),
  });
  return { cache, loads };
}

describe('the ruleset cache', () => {
  it('loads once for concurrent reads, and answers from memory after that', async () => {
    const { cache, loads } = manualCache();
    const asked = [cache.get('p'), cache.get('p'), cache.get('p')];
    expect(loads).toHaveLength(1);
    loads[0]?.resolve(stored('1'));
    const [ruleset, ...others] = await Promise.all(asked);
    expect(ruleset).toMatchObject({ changedAt: '1' });
    for (const other of others) expect(other).toBe(ruleset);
    expect(cache.get('p')).toBe(ruleset);
  });

  it('does not keep a load that started before an invalidation', async () => {
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

  it('keeps the same object when a reload finds no change', async () => {
    const { cache, loads } = manualCache();
    const first = cache.get('p');
    loads[0]?.resolve(stored('1'));
    const ruleset = await first;
    cache.invalidateAll();
    const again = cache.get('p');
    loads[1]?.resolve(stored('1'));
    expect(await again).toBe(ruleset);
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
    const cache = createRulesetCache({ maxBytes: 1_000_000, load: () => load() });
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
    const { cache, loads } = manualCache();
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
    const cache = createRulesetCache({
      maxBytes: 10 * (compile(stored('1')).bytes + 250),
      load: async (projectId) => {
        loaded.push(projectId);
        return stored('1');
      },
    });
    for (let project = 0; project < 11; project++) await cache.get(`p${project}`);
    await cache.get('p10');
    await cache.get('p0');
    expect(loaded.slice(-2)).toEqual(['p10', 'p0']);
  });
});
