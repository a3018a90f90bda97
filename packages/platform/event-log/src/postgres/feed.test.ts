import { type Database, openDatabase } from '@switchboard/database';
import { eventually, testDatabase } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { createFeed, GROUPS_CHANNEL, RECORDS_CHANNEL } from './feed.ts';

it('wakes a reader once for each announcement, even after failures to listen', async () => {
  const own = await testDatabase();
  const database = openDatabase({ url: own.url, applicationName: 'feed' });
  let failures = 3;
  const listen: Database['listen'] = async (channel, ...rest) => {
    if (channel === GROUPS_CHANNEL && failures-- > 0) throw new Error('not now');
    return database.listen(channel, ...rest);
  };
  const feed = createFeed(() => ({ ...database, listen }));
  onTestFinished(async () => {
    await feed.close();
    await database.close();
    await own.drop();
  });
  let [woken, groups] = [0, 0];
  feed.onRecords('events', 0, () => woken++);
  feed.onGroup('readers', () => groups++);
  // Every subscriber is woken once the feed listens.
  await eventually(() => expect([woken, groups]).toEqual([1, 1]));
  await database.sql`select pg_notify(${RECORDS_CHANNEL}, '{"events":[0]}')`;
  await database.sql`select pg_notify(${GROUPS_CHANNEL}, 'readers')`;
  await eventually(() => expect(groups).toBe(2));
  expect(woken).toBe(2);
});
