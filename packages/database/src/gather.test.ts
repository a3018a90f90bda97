import { expect, it } from 'vitest';
import { gatherReads } from './gather.ts';

/** A read of many that waits until it is let go. */
function heldReads() {
  const asked: { ids: readonly string[]; answer(): void; fail(): void }[] = [];
  const read = gatherReads<string>(
    (ids) =>
      new Promise((resolve, reject) => {
        asked.push({
          ids,
          answer: () => resolve(new Map(ids.filter((id) => id !== 'none').map((id) => [id, `${id}!`]))),
          fail: () => reject(new Error('away')),
        });
      }),
  );
  return { asked, read };
}

it('reads together, once each, what is asked for while a read is under way', async () => {
  const { asked, read } = heldReads();
  const first = read('a');
  const later = [read('b'), read('c'), read('b'), read('none')];
  expect(asked.map(({ ids }) => ids)).toEqual([['a']]);
  asked[0]?.answer();
  expect(await first).toBe('a!');
  await Promise.resolve();
  expect(asked.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c', 'none']]);
  asked[1]?.answer();
  expect(await Promise.all(later)).toEqual(['b!', 'c!', 'b!', undefined]);
});

it('never answers with a read that had begun before it was asked', async () => {
  const { asked, read } = heldReads();
  void read('a');
  void read('a');
  asked[0]?.answer();
  await new Promise((resolve) => setImmediate(resolve));
  expect(asked.map(({ ids }) => ids)).toEqual([['a'], ['a']]);
});

it('tells everyone of a failed read, and goes on', async () => {
  const { asked, read } = heldReads();
  const first = read('a');
  const second = read('b');
  asked[0]?.fail();
  await expect(first).rejects.toThrow('away');
  await new Promise((resolve) => setImmediate(resolve));
  asked[1]?.answer();
  expect(await second).toBe('b!');
});
