import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import type { PersonKey } from '@switchboard/user-state';
import { describe, expect, it } from 'vitest';
import { createUserState } from './user-state.ts';

const stateOf = ({ distinctId }: PersonKey) => `state of ${distinctId}`;

const refused = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

describe('reading user state', () => {
  it('queries once for a single read, and coalesces concurrent reads', async () => {
    const batches: number[] = [];
    const userState = createUserState({
      timeoutMs: 5000,
      async find(people) {
        batches.push(people.length);
        await sleep(5);
        return people.map(stateOf);
      },
    });
    expect(await userState.read('p', 'ada')).toEqual(stateOf({ projectId: 'p', distinctId: 'ada' }));
    expect(batches).toEqual([1]);
    const ids = Array.from({ length: 500 }, (_, index) => `person-${index}`);
    const states = await Promise.all(ids.map((id) => userState.read('p', id)));
    expect(states).toEqual(ids.map((distinctId) => stateOf({ projectId: 'p', distinctId })));
    expect(batches.length).toBeLessThan(50);
  });

  it('never joins a query that started before the read', async () => {
    let version = 0;
    const userState = createUserState({
      timeoutMs: 5000,
      async find(people) {
        const found = version;
        await sleep(5);
        return people.map(() => `version ${found}`);
      },
    });
    const early = [userState.read('p', 'ada'), userState.read('p', 'ada')];
    version = 1;
    expect(await userState.read('p', 'ada')).toBe('version 1');
    await Promise.all(early);
  });

  it('does not hold up other reads behind a slow query', async () => {
    const userState = createUserState({
      timeoutMs: 5000,
      async find(people) {
        if (people.some(({ distinctId }) => distinctId === 'slow')) await sleep(300);
        return people.map(stateOf);
      },
    });
    const order: string[] = [];
    const read = async (id: string) => {
      await userState.read('p', id);
      order.push(id);
    };
    const slow = read('slow');
    await turn();
    await Promise.all([read('ada'), read('eve')]);
    await read('joe');
    await slow;
    expect(order).toEqual(['ada', 'eve', 'joe', 'slow']);
  });

  it('fails fast while the database is unavailable, and recovers', async () => {
    let calls = 0;
    let find: (people: readonly PersonKey[]) => Promise<string[]> = refused;
    const userState = createUserState({
      timeoutMs: 5000,
      find(people) {
        calls++;
        return find(people);
      },
    });
    for (let attempt = 0; attempt < 20; attempt++) {
      await expect(userState.read('p', 'ada')).rejects.toThrow('refused');
    }
    expect(calls).toBe(1);
    find = async (people) => people.map(stateOf);
    await sleep(600);
    expect(await userState.read('p', 'ada')).toBe('state of ada');
  });

  it('times out when the database hangs', async () => {
    const userState = createUserState({ timeoutMs: 20, find: () => new Promise(() => undefined) });
    await expect(userState.read('p', 'ada')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  it('fails only the read of a person with state that is unreadable or slow', async () => {
    const read: string[][] = [];
    const userState = createUserState({
      timeoutMs: 200,
      async find(people) {
        const ids = people.map(({ distinctId }) => distinctId);
        read.push(ids);
        await sleep(5);
        if (ids.includes('slow')) await sleep(400);
        if (ids.includes('broken')) throw Object.assign(new Error('cannot extract'), { code: '22023' });
        return people.map(stateOf);
      },
    });
    const readAll = () =>
      Promise.allSettled(
        ['first', 'ada', 'slow', 'broken', 'eve', 'joe'].map((id) => userState.read('p', id)),
      );
    const expected = [
      { status: 'fulfilled', value: 'state of first' },
      { status: 'fulfilled', value: 'state of ada' },
      { status: 'rejected', reason: { code: 'ETIMEDOUT' } },
      { status: 'rejected', reason: { code: '22023' } },
      { status: 'fulfilled', value: 'state of eve' },
      { status: 'fulfilled', value: 'state of joe' },
    ];
    expect(await readAll()).toMatchObject(expected);
    await sleep(300);
    read.length = 0;
    expect(await readAll()).toMatchObject(expected);
    expect(read.flat()).toEqual(['first', 'ada', 'eve', 'joe']);
  });

  it('reads a person again half a second after a slow read, and later after each further one', async () => {
    let reads = 0;
    let delayMs = 200;
    const userState = createUserState({
      timeoutMs: 100,
      async find(people) {
        if (people.length > 0) {
          reads++;
          await sleep(delayMs);
        }
        return people.map(stateOf);
      },
    });
    const read = () => userState.read('p', 'ada');
    await expect(read()).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await sleep(600);
    await expect(read()).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    delayMs = 0;
    await sleep(600);
    await expect(read()).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(reads).toBe(2);
    await sleep(600);
    expect(await read()).toBe('state of ada');
    expect(reads).toBe(3);
  });

  it('fails fast while the database answers nothing', async () => {
    const asked: number[] = [];
    const userState = createUserState({
      timeoutMs: 100,
      find(people) {
        asked.push(people.length);
        return new Promise(() => undefined);
      },
    });
    await expect(userState.read('p', 'ada')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    await sleep(100);
    asked.length = 0;
    await expect(userState.read('p', 'eve')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
    expect(asked).toEqual([]);
  });
});
