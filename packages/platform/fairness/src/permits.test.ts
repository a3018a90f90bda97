import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createFairQueue, createPermits, yieldBriefly, yieldToLoop } from './index.ts';

it('gives turns to keys in rotation, and runs other callbacks between them', async () => {
  const order: string[] = [];
  const work = async (key: string) => {
    await yieldToLoop(key);
    order.push(key);
    setImmediate(() => order.push('other'));
  };
  await Promise.all([work('a'), work('a'), work('a'), work('b'), work('c')]);
  expect(order.filter((one) => one !== 'other')).toEqual(['a', 'b', 'c', 'a', 'a']);
  expect(order.slice(0, -1).filter((_, index) => index % 2 === 1)).toEqual(Array(4).fill('other'));
});

it('leaves the event loop to others for a while after a long turn', async () => {
  const order: string[] = [];
  const work = async (key: string) => {
    await yieldToLoop(key);
    order.push(key);
    const until = performance.now() + 40;
    while (performance.now() < until);
  };
  const others = async () => {
    while (!order.includes('b')) {
      await sleep(1);
      order.push('other');
    }
  };
  await Promise.all([work('a'), work('b'), others()]);
  const between = order.slice(order.indexOf('a') + 1, order.indexOf('b'));
  expect(between.length).toBeGreaterThanOrEqual(2);
});

it('runs brief turns at once until a pass of the event loop is used up, and then in rotation of the keys', async () => {
  expect(yieldBriefly('a')).toBeUndefined();
  const order: string[] = [];
  const work = async (key: string) => {
    const turn = yieldBriefly(key);
    if (turn !== undefined) await turn;
    order.push(key);
    const until = performance.now() + 3;
    while (performance.now() < until);
  };
  const others = async () => {
    while (!order.includes('c')) {
      await new Promise(setImmediate);
      order.push('other');
    }
  };
  await Promise.all([...'aaaaaaaaaa', 'b', 'c'].map(work).concat(others()));
  // A pass has room for at most two of these tasks, because the first may continue immediately.
  const works = order.filter((one) => one !== 'other');
  expect(works).toHaveLength(12);
  expect(works.indexOf('b')).toBeLessThanOrEqual(3);
  expect(works.indexOf('c')).toBeLessThanOrEqual(4);
  expect(order.indexOf('other')).toBeLessThan(order.indexOf('c'));
});

it('runs a limited number of tasks at a time, with the keys in rotation, even after one has failed', async () => {
  const queued = createFairQueue(2);
  const order: string[] = [];
  let running = 0;
  const work = (key: string) =>
    queued(key, async () => {
      order.push(key);
      expect(++running).toBeLessThanOrEqual(2);
      await sleep(1);
      running--;
      if (key === 'b') throw new Error('b failed');
    });
  const outcomes = await Promise.allSettled(['a', 'a', 'a', 'a', 'b', 'c'].map(work));
  expect(order).toEqual(['a', 'a', 'a', 'b', 'c', 'a']);
  expect(outcomes.map(({ status }) => status === 'rejected')).toEqual([
    false,
    false,
    false,
    false,
    true,
    false,
  ]);
});

it('leaves permits to others while one key uses its full share', async () => {
  const permitOf = createPermits(3, 2);
  const begun: string[] = [];
  const enter = (key: string, name: string) => {
    const permit = permitOf(key);
    permit.acquire(() => begun.push(name));
    return permit;
  };
  const [first] = ['a1', 'a2', 'a3', 'a4'].map((name) => enter('a', name));
  expect(begun).toEqual(['a1', 'a2']);
  const other = enter('b', 'b1');
  enter('b', 'b2');
  enter('', 'nobody');
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  first?.release();
  await sleep(0);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  // Key a has two running again.
  other.release();
  await sleep(0);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

it('starts no task if its signal aborts while it waits, and continues with the next', async () => {
  const queued = createFairQueue(1);
  const first = Promise.withResolvers<void>();
  const begun: string[] = [];
  const work = (name: string, until?: Promise<void>) => async () => {
    begun.push(name);
    await until;
  };
  const running = queued('a', work('first', first.promise));
  const aborting = new AbortController();
  const givenUp = queued('a', work('given up'), aborting.signal);
  const next = queued('b', work('next'), new AbortController().signal);
  aborting.abort(new Error('too late'));
  await expect(givenUp).rejects.toThrow('too late');
  expect(begun).toEqual(['first']);
  first.resolve();
  await Promise.all([running, next]);
  expect(begun).toEqual(['first', 'next']);
});
