import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { createCache } from './cache.ts';

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

const COUNT = 100_000;

it('allocates no object for each value', async () => {
  const cache = createCache<string>({
    maxBytes: 1e9,
    sizeOf: () => 0,
    isUnavailable: () => false,
    load: async () => 'shared',
  });
  gc();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < COUNT; i++) await cache.get(`key ${i}`);
  gc();
  const held = process.memoryUsage().heapUsed - before;
  expect(held / COUNT).toBeLessThan(160);
});
