import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { briefTurn, createPlaces, createSlots, turnOfLoop } from './turns.ts';

it('gives turns to holders in rotation, and runs other callbacks between them', async () => {
  const order: string[] = [];
  const work = async (holder: string) => {
    await turnOfLoop(holder);
    order.push(holder);
    setImmediate(() => order.push('other'));
  };
  await Promise.all([work('a'), work('a'), work('a'), work('b'), work('c')]);
  expect(order.filter((one) => one !== 'other')).toEqual(['a', 'b', 'c', 'a', 'a']);
  expect(order.slice(0, -1).filter((_, index) => index % 2 === 1)).toEqual(Array(4).fill('other'));
});

it('leaves the event loop to others for a while after a long turn', async () => {
  const order: string[] = [];
  const work = async (holder: string) => {
    await turnOfLoop(holder);
    order.push(holder);
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

it('runs brief turns at once until a pass of the event loop is used up, and then in rotation of the holders', async () => {
  expect(briefTurn('a')).toBeUndefined();
  const order: string[] = [];
  const work = async (holder: string) => {
    const turn = briefTurn(holder);
    if (turn !== undefined) await turn;
    order.push(holder);
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

it('runs a limited number of tasks at a time, with the holders in rotation, even after one has failed', async () => {
  const inSlot = createSlots(2);
  const order: string[] = [];
  let running = 0;
  const work = (holder: string) =>
    inSlot(holder, async () => {
      order.push(holder);
      expect(++running).toBeLessThanOrEqual(2);
      await sleep(1);
      running--;
      if (holder === 'b') throw new Error('b failed');
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

it('leaves places to others while one holder uses its full share', async () => {
  const placeOf = createPlaces(3, 2);
  const begun: string[] = [];
  const enter = (holder: string, name: string) => {
    const place = placeOf(holder);
    place.enter(() => begun.push(name));
    return place;
  };
  const [first] = ['a1', 'a2', 'a3', 'a4'].map((name) => enter('a', name));
  expect(begun).toEqual(['a1', 'a2']);
  const other = enter('b', 'b1');
  enter('b', 'b2');
  enter('', 'nobody');
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  first?.leave();
  await sleep(0);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  // Holder a has two running again.
  other.leave();
  await sleep(0);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'b2']);
});

it('starts no task if its signal aborts while it waits, and continues with the next', async () => {
  const inSlot = createSlots(1);
  const first = Promise.withResolvers<void>();
  const begun: string[] = [];
  const work = (name: string, until?: Promise<void>) => async () => {
    begun.push(name);
    await until;
  };
  const running = inSlot('a', work('first', first.promise));
  const aborting = new AbortController();
  const givenUp = inSlot('a', work('given up'), aborting.signal);
  const next = inSlot('b', work('next'), new AbortController().signal);
  aborting.abort(new Error('too late'));
  await expect(givenUp).rejects.toThrow('too late');
  expect(begun).toEqual(['first']);
  first.resolve();
  await Promise.all([running, next]);
  expect(begun).toEqual(['first', 'next']);
});
