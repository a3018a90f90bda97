import { type Database, openDatabase } from '@switchboard/database';
import { type TestDatabase, testDatabase } from '@switchboard/testkit';
import { applyChanges, createStateStore } from '@switchboard/user-state';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { flagsMigrations } from '../schema/migrations.ts';

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await testDatabase({ migrations: [flagsMigrations] });
  database = openDatabase({ url: test.url, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

interface Call {
  id: string;
  anonymousId?: string;
}

/** Applies calls in one transaction. Returns the statements of each round trip, without those that begin and commit. */
async function roundTripsOf(calls: readonly Call[]): Promise<string[][]> {
  const sent: string[][] = [];
  let answered = 0;
  // A statement belongs to the round trip after the last one that it waited for.
  const watch = <T extends object>(statements: T): T =>
    new Proxy(statements, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== 'function') return found;
        return (...given: unknown[]) => {
          const trip = answered;
          sent[trip] = [...(sent[trip] ?? []), String(name)];
          const result: unknown = Reflect.apply(found, target, given);
          void Promise.resolve(result).then(() => {
            answered = Math.max(answered, trip + 1);
          });
          return result;
        };
      },
    });
  const { update } = createStateStore(database, { joinsIds: true });
  const watched: { update: typeof update } = {
    update: (work) =>
      update((updates) => {
        const { joins, ...others } = updates;
        if (joins === undefined) return work(updates);
        return work({ ...watch(others), joins: watch(joins) });
      }),
  };
  const changes = calls.map(({ id, anonymousId }, offset) => ({
    kind: 'identify' as const,
    projectId: 'shop',
    distinctId: id,
    anonymousId,
    traits: { plan: 'pro' },
    stamp: [1_000, 1_000, offset] as const,
  }));
  const position = { topic: 'identifies', partition: 0, nextOffset: calls.length, asOf: new Date() };
  expect(await applyChanges(watched, changes, position)).toEqual([]);
  return sent;
}

it('an identify call takes two round trips, and locks the project before its people', async () => {
  const first = ['lockProjects', 'readFacts', 'lockPeople'];
  expect(await roundTripsOf([{ id: 'ada' }])).toEqual([first, ['savePeople', 'savePosition', 'markKnown']]);
  expect(await roundTripsOf([{ id: 'ada' }])).toEqual([first, ['savePosition']]);
});

it('a join takes four round trips, as do many', async () => {
  const one = await roundTripsOf([{ id: 'grace', anonymousId: 'visitor' }]);
  expect(one).toHaveLength(4);
  expect(one[0]?.[0]).toBe('lockProjects');
  expect(await roundTripsOf([{ id: 'grace', anonymousId: 'second' }])).toHaveLength(5);
  const many = Array.from({ length: 60 }, (_, index) => ({
    id: `known-${index % 20}`,
    anonymousId: `visitor-${index}`,
  }));
  expect(await roundTripsOf(many)).toHaveLength(4);
});
