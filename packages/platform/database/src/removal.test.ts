import { testDatabase } from '@switchboard/testkit';
import { lt, sql } from 'drizzle-orm';
import { integer, pgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Database, openDatabase, removeAll, removeSome } from './index.ts';

const numbers = pgTable('numbers', { n: integer().notNull() });

let database: Database;
let drop = async () => {};
beforeAll(async () => {
  const created = await testDatabase();
  drop = created.drop;
  database = openDatabase({ url: created.url, applicationName: 'test' });
  await database.sql`create table numbers (n int not null)`;
});
beforeEach(async () => {
  await database.sql`truncate numbers`;
  await database.sql`insert into numbers select generate_series(1, 25000)`;
});
afterAll(async () => {
  await database.close();
  await drop();
});

const bounds = async () => {
  const [row] = await database.sql`select min(n), max(n), count(*)::int from numbers`;
  return row;
};

test('removes the first of the matching rows, up to a limit', async () => {
  const first = { where: lt(numbers.n, 16), limit: 10, orderBy: numbers.n };
  const removed = () => removeSome(database.drizzle, numbers, first);
  expect(await removed()).toBe(10);
  expect(await bounds()).toEqual({ min: 11, max: 25_000, count: 24_990 });
  expect([await removed(), await removed()]).toEqual([5, 0]);
});

test('leaves rows that another transaction has locked', async () => {
  await database.drizzle.transaction(async (tx) => {
    await tx.execute(sql`select from numbers where n = 1 for update`);
    const some = { where: lt(numbers.n, 4), limit: 10, skipsLocked: true };
    expect(await removeSome(database.drizzle, numbers, some)).toBe(2);
  });
  expect(await bounds()).toMatchObject({ min: 1, count: 24_998 });
});

test('removes all matching rows in several transactions, and none after the signal aborts', async () => {
  const stopping = new AbortController();
  stopping.abort(new Error('stopping'));
  const remove = (signal?: AbortSignal) =>
    removeAll(database.drizzle, numbers, lt(numbers.n, 24_999), signal);
  await expect(remove(stopping.signal)).rejects.toThrow('stopping');
  expect(await bounds()).toMatchObject({ count: 25_000 });
  await remove();
  expect(await bounds()).toEqual({ min: 24_999, max: 25_000, count: 2 });
});
