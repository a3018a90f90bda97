import { describe, expect, it } from 'vitest';
import { createRulesetCache } from './cache.ts';
import { prepareRuleset, type Ruleset } from './ruleset.ts';

const rulesetOf = (changedAt: string) => prepareRuleset({ changedAt, flags: [], cohorts: [] });
const away = () => Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));

/** A cache whose loads are answered by hand, in any order. */
function cacheByHand(maxSize = 1_000_000) {
  const loads: { projectId: string; resolve(ruleset: Ruleset): void }[] = [];
  const cache = createRulesetCache({
    maxSize,
    load: (projectId) => new Promise((resolve) => loads.push({ projectId, resolve })),
  });
  return { cache, loads };
}

describe('the cache of rulesets', () => {
  it('loads once for all who ask meanwhile, and answers from memory then', async () => {
    const { cache, loads } = cacheByHand();
    const asked = [cache.get('p'), cache.get('p'), cache.get('p')];
    expect(loads).toHaveLength(1);
    const ruleset = rulesetOf('1');
    loads[0]?.resolve(ruleset);
    expect(await Promise.all(asked)).toEqual([ruleset, ruleset, ruleset]);
    expect(cache.get('p')).toBe(ruleset);
  });

  it('does not keep what was loaded while a change was announced', async () => {
    const { cache, loads } = cacheByHand();
    const before = cache.get('p');
    cache.distrust('p');
    const after = cache.get('p');
    expect(loads).toHaveLength(2);
    loads[1]?.resolve(rulesetOf('new'));
    await after;
    loads[0]?.resolve(rulesetOf('old'));
    await before;
    expect(await cache.get('p')).toMatchObject({ changedAt: 'new' });
  });

  it('keeps a ruleset that turns out unchanged, with what was made of it', async () => {
    const { cache, loads } = cacheByHand();
    const first = cache.get('p');
    const ruleset = rulesetOf('1');
    loads[0]?.resolve(ruleset);
    await first;
    cache.distrustAll();
    const again = cache.get('p');
    loads[1]?.resolve(rulesetOf('1'));
    expect(await again).toBe(ruleset);
  });

  it('answers as last known while the database is away, and fails for what was never known', async () => {
    let load = async () => rulesetOf('1');
    const cache = createRulesetCache({ maxSize: 1_000_000, load: () => load() });
    await cache.get('p');
    expect(cache.isCurrent('p')).toBe(true);
    load = away;
    cache.distrustAll();
    expect(cache.isCurrent('p')).toBe(false);
    expect(await cache.get('p')).toMatchObject({ changedAt: '1' });
    expect(cache.isCurrent('p')).toBe(false);
    await expect(cache.get('q')).rejects.toThrow('away');
    load = async () => rulesetOf('2');
    cache.distrust('p');
    expect(await cache.get('p')).toMatchObject({ changedAt: '2' });
    expect(cache.isCurrent('p')).toBe(true);
  });

  it('answers as last known while a load takes long, and keeps what it loads in the end', async () => {
    const { cache, loads } = cacheByHand();
    const first = cache.get('p');
    loads[0]?.resolve(rulesetOf('1'));
    await first;
    cache.distrust('p');
    expect(await cache.get('p')).toMatchObject({ changedAt: '1' });
    expect(cache.isCurrent('p')).toBe(false);
    loads[1]?.resolve(rulesetOf('2'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(cache.get('p')).toMatchObject({ changedAt: '2' });
    expect(cache.isCurrent('p')).toBe(true);
    expect(loads).toHaveLength(2);
  });

  it('forgets what was used longest ago when it is full', async () => {
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
