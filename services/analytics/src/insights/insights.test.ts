import type { InsightQuery } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import { createResults } from '../results/results.ts';
import { createInsights } from './insights.ts';

const query: InsightQuery = {
  kind: 'trends',
  range: { from: '2026-03-01', to: '2026-03-02' },
  series: [{ event: 'order placed' }],
};

test('computes a query once when it is asked twice at once, and again when newer events arrive', async () => {
  const gate = Promise.withResolvers<void>();
  let computed = 0;
  let version = 'first';
  const insights = createInsights({
    queue: {
      deadline: () => new AbortController().signal,
      find: async () => ({ version, read: () => Promise.reject(new Error('not read here')) }),
      async run<T>(): Promise<T> {
        const number = ++computed;
        await gate.promise;
        return { report: { kind: 'line', number } } as T;
      },
    },
    people: {
      of: async () => ({
        cohorts: new Map(),
        lists: new Map(),
        wanted: undefined,
        readsPersons: false,
        version: '',
      }),
    },
    listed: { read: (_, { cohorts }, __, work) => work(cohorts) },
    watermark: { asOf: () => Date.parse('2026-03-03T00:00:00Z') },
    clock: { now: () => new Date('2026-03-03T00:00:00Z') },
    results: createResults({ cacheBytes: 10_000 }),
  });
  const answer = async (projectId = 'shop') => {
    const { body } = await (await insights.ask(projectId, query)).prepare();
    return JSON.parse(String(body)).report.number;
  };
  const together = Promise.all([answer(), answer(), answer('other')]);
  await expect.poll(() => computed).toBe(2);
  gate.resolve();
  const [one, same, other] = await together;
  expect([one === same, one === other, computed]).toEqual([true, false, 2]);
  expect(await answer()).toBe(one);
  expect(computed).toBe(2);
  version = 'second';
  expect(await answer()).toBe(3);
});

test('does not say which periods of retention are over before it is known', async () => {
  let asOf = 0;
  const insights = createInsights({
    queue: {
      deadline: () => new AbortController().signal,
      find: async () => ({ version: '', read: () => Promise.reject(new Error('not read here')) }),
      run: async <T>() => ({ report: { kind: 'grid' } }) as T,
    },
    people: {
      of: async () => ({
        cohorts: new Map(),
        lists: new Map(),
        wanted: undefined,
        readsPersons: false,
        version: '',
      }),
    },
    listed: { read: (_, { cohorts }, __, work) => work(cohorts) },
    watermark: { asOf: () => asOf },
    clock: { now: () => new Date('2026-03-03T00:00:00Z') },
    results: createResults({ cacheBytes: 10_000 }),
  });
  const ask = () =>
    insights.ask('shop', {
      kind: 'retention',
      range: { from: '2026-03-01', to: '2026-03-02' },
      start: { event: 'a' },
      return: { event: 'a' },
      periods: 2,
    });
  await expect(ask()).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '10' } });
  expect(await (await insights.ask('shop', query)).prepare()).toMatchObject({
    body: expect.stringContaining('"asOf":"1970-'),
  });
  asOf = Date.parse('2026-03-03T00:00:00Z');
  expect(await (await ask()).prepare()).toMatchObject({ body: expect.stringContaining('"kind":"grid"') });
});
