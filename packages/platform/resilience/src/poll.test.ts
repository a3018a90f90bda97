import { afterEach, expect, it, vi } from 'vitest';
import { doAll, lookInterval, poll } from './poll.ts';

afterEach(() => vi.useRealTimers());

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

it('looks four times as often for 30 seconds after a look has found work', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const waitAfter = lookInterval(500);
  expect(waitAfter(false)).toBe(2_000);
  expect(waitAfter(true)).toBe(500);
  vi.advanceTimersByTime(29_999);
  expect(waitAfter(false)).toBe(500);
  vi.advanceTimersByTime(1);
  expect(waitAfter(false)).toBe(2_000);
});

it.each([
  { found: false, looks: 3 },
  { found: undefined, looks: 9 },
])(
  'looks as often as $looks times in ten intervals if looks resolve with $found',
  async ({ found, looks }) => {
    vi.useFakeTimers();
    const stopping = new AbortController();
    let times = 0;
    const look = async () => {
      times++;
      return found;
    };
    const polling = poll(look as () => Promise<boolean>, {
      everyMs: 1_000,
      signal: stopping.signal,
      onFailure: expect.unreachable,
    });
    await vi.advanceTimersByTimeAsync(60_000);
    times = 0;
    await vi.advanceTimersByTimeAsync(10_000);
    stopping.abort();
    await polling;
    expect(Math.abs(times - looks)).toBeLessThanOrEqual(1);
  },
);

it('does work until none is left, and says whether there was any', async () => {
  const work = ['one', 'two'];
  const done: string[] = [];
  const take = async () => work.shift();
  const doOne = async (taken: string) => void done.push(taken);
  const { signal } = new AbortController();
  expect([await doAll(signal, take, doOne), await doAll(signal, take, doOne), done]).toEqual([
    true,
    false,
    ['one', 'two'],
  ]);
});
