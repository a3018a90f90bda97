import { openDatabase } from '@switchboard/database';
import { eventually, testDatabase } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { EventLogUnavailable } from '../errors.ts';
import { createFeed } from './feed.ts';
import { openPostgresLog } from './log.ts';

it('rejects records for a topic deleted after its lookup, and accepts them once it exists again', async () => {
  const own = await testDatabase();
  const log = openPostgresLog({ url: own.url, publishTimeoutMs: 1_000 });
  const database = openDatabase({ url: own.url, applicationName: 'test' });
  const topic = { name: 'events', partitions: 2, replication: 1, cleanup: 'delete' as const };
  const record = { partition: 1, key: 'shop', value: Buffer.from('one'), headers: {} };
  await log.createTopics([topic]);
  await log.publish('events', [record]);

  await database.sql`truncate event_log.records, event_log.partitions, event_log.topics cascade`;
  await expect(log.publish('events', [record])).rejects.toThrow(EventLogUnavailable);

  await log.createTopics([topic]);
  await log.publish('events', [record]);
  expect(await log.endOffsets('events')).toEqual([0n, 1n]);
  await database.close();
  await log.close();
  await own.drop();
});

it('stores one send to more partitions than a notification can name, and announces each of them', async () => {
  const own = await testDatabase();
  const log = openPostgresLog({ url: own.url });
  const database = openDatabase({ url: own.url, applicationName: 'test' });
  const feed = createFeed(() => database);
  onTestFinished(async () => {
    await feed.close();
    await database.close();
    await log.close();
    await own.drop();
  });
  const topics = ['events', 'identifies', 'replays'];
  const records = Array.from({ length: 1_000 }, (_, partition) => {
    return { partition, key: null, value: Buffer.from('one'), headers: {} };
  });
  const topic = { partitions: records.length, replication: 1, cleanup: 'delete' as const };
  await log.createTopics(topics.map((name) => ({ ...topic, name })));
  let woken = 0;
  feed.onRecords('replays', records.length - 1, () => woken++);
  await eventually(() => expect(woken).toBe(1));

  // The first is sent immediately. The others wait for it and share a send.
  await Promise.all(['events', ...topics].map((name) => log.publish(name, records)));
  expect(await log.endOffsets('replays')).toEqual(records.map(() => 1n));
  await eventually(() => expect(woken).toBe(2));
});
