import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type CoalesceOptions, coalesce } from './coalesce.ts';

/** Creates a read of many keys that waits until it is released. */
function heldReads(options?: CoalesceOptions) {
  const asked: { keys: readonly string[]; answer(): void; fail(): void }[] = [];
  const read = coalesce<string, string | undefined>(
    (keys) =>
      new Promise((resolve, reject) => {
        asked.push({
          keys,
          answer: () => resolve(keys.map((key) => (key === 'none' ? undefined : `${key}!`))),
          fail: () => reject(new Error('unavailable')),
        });
      }),
    options,
  );
  return { asked, read };
}

it('reads keys together and once each that are requested while a read is under way', async () => {
  const { asked, read } = heldReads();
  const first = read('a');
  const later = [read('b'), read('c'), read('b'), read('none')];
  expect(asked.map(({ keys }) => keys)).toEqual([['a']]);
  asked[0]?.answer();
  expect(await first).toBe('a!');
  await turn();
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c', 'none']]);
  asked[1]?.answer();
  expect(await Promise.all(later)).toEqual(['b!', 'c!', 'b!', undefined]);
});

it('gathers callers of one turn of the event loop into the first read', async () => {
  const { asked, read } = heldReads({ gathers: true });
  const all = [read('a'), read('b'), read('a')];
  expect(asked).toEqual([]);
  await turn();
  expect(asked.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  asked[0]?.answer();
  expect(await Promise.all(all)).toEqual(['a!', 'b!', 'a!']);
});

it('never returns the result of a read that began before the call', async () => {
  const { asked, read } = heldReads();
  void read('a');
  void read('a');
  asked[0]?.answer();
  await turn();
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['a']]);
});

it('rejects every caller of a failed read, and continues', async () => {
  const { asked, read } = heldReads();
  const first = read('a');
  const second = read('b');
  asked[0]?.fail();
  await expect(first).rejects.toThrow('unavailable');
  await turn();
  asked[1]?.answer();
  expect(await second).toBe('b!');
});

it('rejects the callers when a read omits a key', async () => {
  const read = coalesce<string, string>(async () => []);
  await expect(read('a')).rejects.toThrow('1 keys returned 0 values');
});

it('reads no more keys at once than allowed', async () => {
  const { asked, read } = heldReads({ maxBatch: 2 });
  void read('a');
  for (const key of ['b', 'c', 'd']) void read(key);
  asked[0]?.answer();
  await turn();
  asked[1]?.answer();
  await turn();
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c'], ['d']]);
});

it('starts another read while one is slow, up to the limit', async () => {
  const { asked, read } = heldReads({ slowAfterMs: 5, maxConcurrent: 2 });
  void read('a');
  const second = read('b');
  void read('c');
  expect(asked).toHaveLength(1);
  await sleep(20);
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c']]);
  void read('d');
  await sleep(20);
  expect(asked).toHaveLength(2);
  asked[1]?.answer();
  expect(await second).toBe('b!');
  await turn();
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c'], ['d']]);
});
