import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectAtRest } from './rest.ts';

/** What nothing holds any longer. */
const left = () => new WeakRef({ of: 'the last request' });

async function work(ms: number): Promise<void> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    for (let step = 0; step < 1_000_000; step++) Math.sqrt(step);
    await pause(0);
  }
}

it('what a peak left is freed once the process rests', async () => {
  collectAtRest(100);
  await work(500);
  const last = left();
  // Not polled by Vitest, which works too much at it. V8 collects by itself after eight seconds.
  for (let looks = 0; looks < 20 && last.deref() !== undefined; looks++) await pause(200);
  expect(last.deref()).toBeUndefined();
});
