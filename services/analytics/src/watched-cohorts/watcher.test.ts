import { Unavailable } from '@switchboard/http';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import type { Compare } from './compare.ts';
import { createCohortWatcher } from './watcher.ts';

const NOW = new Date('2026-03-01T00:00:00Z');
const MINUTE_MS = 60_000;

/** Starts a watcher of one due cohort. Returns what it does with the claim. */
function watch(compare: Compare) {
  const done: unknown[] = [];
  let due = [{ projectId: 'shop', id: 'vip', claimedUntil: NOW, members: null }];
  const minutes = (at: Date) => (at.getTime() - NOW.getTime()) / MINUTE_MS;
  const watcher = createCohortWatcher({
    store: {
      async claim() {
        const claimed = due;
        due = [];
        return claimed;
      },
      apply: async (_, { members }, dueAt) => void done.push(['applied', members, minutes(dueAt)]),
      fail: async (_, failure, __, dueAt) => void done.push([failure, minutes(dueAt)]),
      release: async ({ id }) => void done.push(['released', id]),
    },
    compare,
    clock: { now: () => NOW },
    random: () => 1,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  watcher.start();
  return { watcher, done };
}

async function* none() {}

it('compares cohorts within 15 minutes again, and a minute after a failure that passes', async () => {
  const { watcher, done } = watch(async (_, [id = ''], receive) => {
    await receive(id, { members: 2, differences: none() });
  });
  await eventually(() => expect(done).toEqual([['applied', 2, 14.5]]));
  await watcher.stop();
  for (const [error, failure] of [
    [new Unavailable('Busy.'), 'Busy.'],
    [new Error('secret'), 'The members could not be compared. They are compared again in a minute.'],
  ] as const) {
    const failing = watch(() => Promise.reject(error));
    await eventually(() => expect(failing.done).toEqual([[failure, 1]]));
    await failing.watcher.stop();
  }
});

it('leaves a comparison to another instance when it stops, without a failure', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<void>();
  const { watcher, done } = watch(async (_, __, ___, signal) => {
    resolve();
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
  await begun;
  await watcher.stop();
  expect(done).toEqual([['released', 'vip']]);
});
