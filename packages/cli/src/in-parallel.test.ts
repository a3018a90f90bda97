import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

test('work runs side by side up to the limit, and is answered in order', async () => {
  let running = 0;
  let most = 0;
  const items = Array.from({ length: 20 }, (_, index) => index);
  const results = await inParallel(items, 3, async (item) => {
    running++;
    most = Math.max(most, running);
    for (let turn = 0; turn < (item % 4) + 1; turn++) await setImmediate();
    running--;
    return item * 2;
  });
  expect(results).toEqual(items.map((item) => item * 2));
  expect(most).toBe(3);
  expect(await inParallel([], 3, async () => 1)).toEqual([]);
});

test('the first failure begins nothing new', async () => {
  const begun: number[] = [];
  const work = inParallel([1, 2, 3, 4, 5, 6], 2, async (item) => {
    begun.push(item);
    await setImmediate();
    if (item === 1) throw new Error('one');
    await setImmediate();
  });
  await expect(work).rejects.toThrow('one');
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(begun).toEqual([1, 2]);
});
