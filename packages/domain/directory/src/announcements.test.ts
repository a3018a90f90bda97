import { type Database, openDatabase } from '@switchboard/database';
import { eventually, testDatabase } from '@switchboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listenForChanges } from './announcements.ts';
import { notifyChanged } from './store.ts';

let own: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
beforeEach(async () => {
  own = await testDatabase();
  database = openDatabase({ url: own.url, applicationName: 'announced' });
});
afterEach(async () => {
  await database.close();
  await own.drop();
});

async function listen(through: Pick<Database, 'listen'>) {
  const [warnings, changed]: [string[], string[]] = [[], []];
  let doubts = 0;
  const listening = await listenForChanges({
    database: { ...database, ...through },
    logger: { info: () => undefined, warn: (_, message) => warnings.push(message), failed: () => undefined },
    onChanged: (key) => changed.push(key),
    onDoubt: () => doubts++,
  });
  return { warnings, changed, doubts: () => doubts, stop: listening.stop };
}

const cut = () =>
  database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'announced listen'`;
const elapse = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

it('doubts announcements after the connection was cut, until they arrive again', async () => {
  const { doubts, changed, warnings, stop } = await listen(database);
  expect(doubts()).toBe(0);
  expect(await cut()).toHaveLength(1);
  await eventually(() => expect(doubts()).toBeGreaterThan(1));
  await eventually(async () => {
    const before = doubts();
    await elapse(1_000);
    expect(doubts()).toBe(before);
  });
  await notifyChanged(database.drizzle, '["key:1"]');
  await eventually(() => expect([changed, warnings]).toEqual([['key:1'], []]));
  await stop();
});

it('warns once when announcements never arrive', async () => {
  const elsewhere: Database['listen'] = (channel, ...rest) => database.listen(`not ${channel}`, ...rest);
  const { doubts, warnings, stop } = await listen({ listen: elsewhere });
  await cut();
  await elapse(11_500);
  expect(warnings).toEqual([expect.stringContaining('poolers must keep sessions')]);
  const before = doubts();
  await elapse(1_000);
  expect(doubts()).toBeGreaterThan(before);
  await stop();
  const after = doubts();
  await elapse(1_000);
  expect([doubts(), warnings.length]).toEqual([after, 1]);
});
