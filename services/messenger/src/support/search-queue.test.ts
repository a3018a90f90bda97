import { RateLimited } from '@switchboard/http';
import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { createSearchQueue } from './search-queue.ts';

const LIMITS = { running: 3, waiting: 4, waitMs: 10_000, perSecond: 1_000 };

/** Returns a search that ends when the test says so. */
function held(name: string, begun: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return {
    search: () => {
      begun.push(name);
      return promise;
    },
    end: () => resolve(name),
    fail: () => reject(new Error(`${name} failed`)),
  };
}

it('runs one search of a project at a time, beside those of other projects', async () => {
  const queue = createSearchQueue(LIMITS);
  const begun: string[] = [];
  const [first, second, other] = ['first', 'second', 'other'].map((name) => held(name, begun));
  if (first === undefined || second === undefined || other === undefined) throw new Error('three searches');
  const results = [queue('a', first.search), queue('a', second.search), queue('b', other.search)];
  await eventually(() => expect(begun).toEqual(['first', 'other']));
  first.end();
  expect(await results[0]).toBe('first');
  await eventually(() => expect(begun).toEqual(['first', 'other', 'second']));
  second.end();
  other.end();
  expect(await Promise.all(results)).toEqual(['first', 'second', 'other']);
});

it('continues with the next search after one has failed', async () => {
  const queue = createSearchQueue(LIMITS);
  const failing = held('failing', []);
  const failed = queue('a', failing.search);
  const next = queue('a', async () => 'next');
  failing.fail();
  await expect(failed).rejects.toThrow('failing failed');
  expect(await next).toBe('next');
});

it('refuses searches of the project with the most of them, and leaves places to others', async () => {
  const queue = createSearchQueue(LIMITS);
  const begun: string[] = [];
  const holding = held('holding', begun);
  const flood = Array.from({ length: 20 }, () =>
    queue('flood', holding.search).catch((error: unknown) => error),
  );
  expect(await queue('other', async () => 'found')).toBe('found');
  expect(begun).toEqual(['holding']);
  holding.end();
  const outcomes = await Promise.all(flood);
  const refused = outcomes.filter((outcome) => outcome instanceof RateLimited);
  // One gave way to the other project.
  expect([refused.length, refused[0]?.status, refused[0]?.headers['Retry-After']]).toEqual([14, 429, '1']);
});

it('refuses a search that waits for too long', async () => {
  const queue = createSearchQueue({ ...LIMITS, waitMs: 20 });
  const holding = held('holding', []);
  const first = queue('a', holding.search);
  await expect(queue('a', async () => 'late')).rejects.toThrow(RateLimited);
  holding.end();
  expect(await first).toBe('holding');
});

it('begins no search of a project that has searched for too long, while others search', async () => {
  const queue = createSearchQueue({ ...LIMITS, perSecond: 0.000_001 });
  const begun: string[] = [];
  await queue('a', async () => {
    const end = performance.now() + 2;
    while (performance.now() < end);
  });
  const late = queue('a', held('late', begun).search);
  expect(await queue('b', async () => 'found')).toBe('found');
  expect(begun).toEqual([]);
  late.catch(() => undefined);
});
