import { openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { EventLogUnavailable } from '../errors.ts';
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
