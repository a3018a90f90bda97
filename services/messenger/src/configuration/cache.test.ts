import { expect, test } from 'vitest';
import { createProjectCache } from './cache.ts';

const away = () => Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

/** A cache over a database whose next answer a test chooses. */
function cacheOver(first: () => Promise<{ version: number }>) {
  const database = { answer: first, asked: 0 };
  const cache = createProjectCache({
    load: () => {
      database.asked += 1;
      return database.answer();
    },
    sizeOf: () => 1,
    maxSize: 10_000,
  });
  return { cache, database };
}

test('a value is read once, by however many ask, and again when it has changed', async () => {
  const { cache, database } = cacheOver(async () => ({ version: 1 }));
  const values = await Promise.all([cache.get('a'), cache.get('a'), cache.get('a')]);
  expect(values).toEqual(Array(3).fill({ version: 1 }));
  await cache.get('a');
  expect(database.asked).toBe(1);
  database.answer = async () => ({ version: 2 });
  cache.distrust('other');
  expect(await cache.get('a')).toEqual({ version: 1 });
  cache.distrust('a');
  expect(await cache.get('a')).toEqual({ version: 2 });
  database.answer = async () => ({ version: 3 });
  cache.distrustAll();
  expect(await cache.get('a')).toEqual({ version: 3 });
});

test('what was read before a change was announced is not kept', async () => {
  const old = Promise.withResolvers<{ version: number }>();
  const { cache, database } = cacheOver(() => old.promise);
  const early = cache.get('a');
  cache.distrust('a');
  database.answer = async () => ({ version: 2 });
  expect(await cache.get('a')).toEqual({ version: 2 });
  old.resolve({ version: 1 });
  await early;
  expect(await cache.get('a')).toEqual({ version: 2 });
});

test('the last value is used while the database is away, or does not answer; without one that is told', async () => {
  const { cache, database } = cacheOver(async () => ({ version: 1 }));
  await cache.get('a');
  for (const answer of [() => Promise.reject(away()), () => new Promise<never>(() => undefined)]) {
    database.answer = answer;
    cache.distrustAll();
    expect(await cache.get('a')).toEqual({ version: 1 });
    expect(await cache.get('a')).toEqual({ version: 1 });
  }
  database.answer = () => Promise.reject(away());
  await expect(cache.get('b')).rejects.toThrow('away');
  database.answer = () => Promise.reject(new Error('a defect'));
  cache.distrustAll();
  await expect(cache.get('a')).rejects.toThrow('a defect');
  database.answer = async () => ({ version: 2 });
  expect(await cache.get('a')).toEqual({ version: 2 });
});
