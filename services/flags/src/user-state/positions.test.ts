import { type Database, openDatabase } from '@switchboard/database';
import { type TestDatabase, testDatabase } from '@switchboard/testkit';
import { createStateStore } from '@switchboard/user-state';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { flagsMigrations } from '../schema/migrations.ts';

let own: TestDatabase;
let database: Database;
beforeAll(async () => {
  own = await testDatabase({ migrations: [flagsMigrations] });
  database = openDatabase({ url: own.url, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});
beforeEach(async () => {
  await database.sql`truncate applied_positions`;
});

const saveAll = async (...positions: [nextOffset: number, asOf: number][]) => {
  const store = createStateStore(database);
  for (const [nextOffset, asOf] of positions) {
    const position = { topic: 'identifies', partition: 1, nextOffset, asOf: new Date(asOf) };
    await store.update((updates) => updates.savePosition(position));
  }
  return (await store.listPositions()).map((one) => [one.nextOffset, one.asOf.getTime()]);
};

it('keeps the end of the applied records as the position, also after redelivery', async () => {
  const batches = fc.array(fc.nat(10_000), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(batches, fc.nat(4), async (times, again) => {
      await database.sql`truncate applied_positions`;
      const all = times.map((time, index): [number, number] => [(index + 1) * 10, time]);
      const end = [all.length * 10, Math.max(...times)];
      expect(await saveAll(...all)).toEqual([end]);
      expect(await saveAll(...all.slice(again))).toEqual([end]);
    }),
    { numRuns: 20 },
  );
});

it('starts over when a topic is created again', async () => {
  expect(await saveAll([1000, 5000], [3, 6000], [7, 6100])).toEqual([[7, 6100]]);
});
