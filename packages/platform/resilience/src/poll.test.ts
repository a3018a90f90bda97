import { expect, it } from 'vitest';
import { poll } from './poll.ts';

it('continues after failures, reports each, and ends when the signal aborts', async () => {
  const stopping = new AbortController();
  const outcomes = ['ok', 'one', 'two', 'ok', 'three'];
  const reported: unknown[] = [];
  await poll(
    async () => {
      const outcome = outcomes.shift();
      if (outcome === undefined) stopping.abort();
      else if (outcome !== 'ok') throw outcome;
    },
    { everyMs: 1, signal: stopping.signal, onFailure: (error) => reported.push(error) },
  );
  expect([reported, outcomes]).toEqual([['one', 'two', 'three'], []]);
});
