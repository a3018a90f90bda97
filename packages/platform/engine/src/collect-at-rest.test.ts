import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { collectAtRest } from './collect-at-rest.ts';

/** Returns a reference to an object that nothing else holds. */
const left = () => new WeakRef({ of: 'the last request' });

async function work(ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    for (let step = 0; step < 1_000_000; step++) Math.sqrt(step);
    await pause(0);
  }
}

const collection = z.object({ detail: z.object({ kind: z.int(), flags: z.int() }) });

/** Whether the garbage collection was requested. V8 collects by itself after eight seconds of rest. */
function isAskedFor(entry: unknown): boolean {
  const { kind, flags } = collection.parse(entry).detail;
  const asked = constants.NODE_PERFORMANCE_GC_FLAGS_FORCED;
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR && (flags & asked) !== 0;
}

it('frees the memory of a peak once the process is idle', async () => {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().filter(isAskedFor).length;
  });
  observer.observe({ entryTypes: ['gc'] });
  collectAtRest(500);
  await work(1_200);
  const last = left();
  const before = collections;
  // Not polled with Vitest, which would keep the process busy. Next to other tests a process comes to rest late.
  for (let looks = 0; looks < 60 && collections === before; looks++) await pause(500);
  observer.disconnect();
  expect(collections).toBeGreaterThan(before);
  expect(last.deref()).toBeUndefined();
});
