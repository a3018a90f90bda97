import { describe, expect, it } from 'vitest';
import { createRulesetCache } from './cache.ts';
import { compile, type Ruleset } from './ruleset.ts';

const rulesetOf = (changedAt: string) => compile({ changedAt, flags: [], cohorts: [] });
const unavailable = () => Promise.reject(Object.assign(new Error('unavailable'), { code: 'ECONNREFUSED' }));

/** A cache whose loads the test resolves, in any order. */
function manualCache(maxSize = 1_000_000) {
  const loads: { projectId: string; resolve(ruleset: Ruleset): void }[] = [];
  const cache = createRulesetCache({
    maxSize,
    load: (projectId) => new Promise((resolve) => loads.push({ projectId, resolve })),
  });
  return { cache, loads };
}

describe('the ruleset cache', () => {
  it('loads once for concurrent reads, and answers from memory after that', async () => {
    const { cache, loads } = manualCache();
    const asked = [cache.get('p'), cache.get('p'), cache.get('p')];
    expect(loads).toHaveLength(1);
    const ruleset = rulesetOf('1');
    loads[0]?.resolve(ruleset);
    expect(await Promise.all(asked)).toEqual([ruleset, ruleset, ruleset]);
    expect(cache.get('p')).toBe(ruleset);
  });

  it('does not keep a load that started before an invalidation', async () => {
    const { cache, loads } = manualCache();
    const before = cache.get('p');
    cache.invalidate('p');
    const after = cache.get('p');
    expect(loads).toHaveLength(2);
    loads[1]?.resolve(rulesetOf('new'));
    await after;
    loads[0]?.resolve(rulesetOf('old'));
    await before;
    expect(await cache.get('p')).toMatchObject({ changedAt: 'new' });
  });

  it('keeps the same object when a reload finds no change', async () => {
    const { cache, loads } = manualCache();
    const first = cache.get('p');
    const ruleset = rulesetOf('1');
    loads[0]?.resolve(ruleset);
    await first;
    cache.invalidateAll();
    const again = cache.get('p');
    loads[1]?.resolve(rulesetOf('1'));
    expect(await again).toBe(ruleset);
  });

  it('serves stale rulesets while the database is unavailable, and fails for ones never loaded', async () => {
    let load = async () => rulesetOf('1');
    const cache = createRulesetCache({ maxSize: 1_000_000, load: () => load() });
    await cache.get('p');
    expect(cache.isCurrent('p')).toBe(true);
    load = unavailable;
    cache.invalidateAll();
    expect(cache.isCurrent('p')).toBe(false);
    expect(await cache.get('p')).toMatchObject({ changedAt: '1' });
    expect(cache.isCurrent('p')).toBe(false);
    await expect(cache.get('q')).rejects.toThrow('unavailable');
    load = async () => rulesetOf('2');
    cache.invalidate('p');
    expect(await cache.get('p')).toMatchObject({ changedAt: '2' });
    expect(cache.isCurrent('p')).toBe(true);
  });

  it('serves a stale ruleset while a load is slow, and keeps its result', async () => {
    const { cache, loads } = manualCache();
    const first = cache.get('p');
    loads[0]?.resolve(rulesetOf('1'));
    await first;
    cache.invalidate('p');
    expect(await cache.get('p')).toMatchObject({ changedAt: '1' });
    expect(cache.isCurrent('p')).toBe(false);
    loads[1]?.resolve(rulesetOf('2'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(cache.get('p')).toMatchObject({ changedAt: '2' });
    expect(cache.isCurrent('p')).toBe(true);
    expect(loads).toHaveLength(2);
  });

  it('evicts the least recently used ruleset when full', async () => {
    const loaded: string[] = [];
    const cache = createRulesetCache({
      maxSize: 10 * rulesetOf('1').size + 10_000,
      load: async (projectId) => {
        loaded.push(projectId);
        return rulesetOf('1');
      },
    });
    for (let project = 0; project < 11; project++) await cache.get(`p${project}`);
    await cache.get('p10');
    await cache.get('p0');
    expect(loaded.slice(-2)).toEqual(['p10', 'p0']);
  });
});
