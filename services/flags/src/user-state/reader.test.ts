import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PersonName } from './lookup.ts';
import { createUserStateReader } from './reader.ts';

const stateOf = ({ distinctId }: PersonName) => `state of ${distinctId}`;

const refused = () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }));

describe('the reader of user state', () => {
  it('asks once for a lone reader, and together for those who wait', async () => {
    const batches: number[] = [];
    const reader = createUserStateReader({
      timeoutMs: 5000,
      async find(names) {
        batches.push(names.length);
        await sleep(5);
        return names.map(stateOf);
      },
    });
    expect(await reader.read('p', 'ada')).toEqual(stateOf({ projectId: 'p', distinctId: 'ada' }));
    expect(batches).toEqual([1]);
    const ids = Array.from({ length: 500 }, (_, index) => `person-${index}`);
    const states = await Promise.all(ids.map((id) => reader.read('p', id)));
    expect(states).toEqual(ids.map((distinctId) => stateOf({ projectId: 'p', distinctId })));
    expect(batches.length).toBeLessThan(10);
  });

  it('reads what is stored at the time of the call, never what an earlier query found', async () => {
    let version = 0;
    const reader = createUserStateReader({
      timeoutMs: 5000,
      async find(names) {
        const found = version;
        await sleep(5);
        return names.map(() => `version ${found}`);
      },
    });
    const early = [reader.read('p', 'ada'), reader.read('p', 'ada')];
    version = 1;
    expect(await reader.read('p', 'ada')).toBe('version 1');
    await Promise.all(early);
  });

  it('does not make others wait for a slow query', async () => {
    const reader = createUserStateReader({
      timeoutMs: 5000,
      async find(names) {
        if (names.some(({ distinctId }) => distinctId === 'slow')) await sleep(300);
        return names.map(stateOf);
      },
    });
    const order: string[] = [];
    const read = async (id: string) => {
      await reader.read('p', id);
      order.push(id);
    };
    const slow = read('slow');
    await Promise.all([read('ada'), read('eve')]);
    await read('joe');
    await slow;
    expect(order).toEqual(['ada', 'eve', 'joe', 'slow']);
  });

  it('fails those who wait when the database is away, leaves it alone for a moment, and recovers', async () => {
    let calls = 0;
    let find: (names: readonly PersonName[]) => Promise<string[]> = refused;
    const reader = createUserStateReader({
      timeoutMs: 5000,
      find(names) {
        calls++;
        return find(names);
      },
    });
    for (let attempt = 0; attempt < 20; attempt++) {
      await expect(reader.read('p', 'ada')).rejects.toThrow('refused');
    }
    expect(calls).toBe(1);
    find = async (names) => names.map(stateOf);
    await sleep(600);
    expect(await reader.read('p', 'ada')).toBe('state of ada');
  });

  it('does not wait for a database that hangs', async () => {
    const reader = createUserStateReader({ timeoutMs: 20, find: () => new Promise(() => undefined) });
    await expect(reader.read('p', 'ada')).rejects.toMatchObject({ code: 'QUERY_TIMEOUT' });
  });
});
