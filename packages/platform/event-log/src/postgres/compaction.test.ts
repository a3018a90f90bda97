import { openDatabase } from '@switchboard/database';
import { eventually, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collect, newGroup, newTopic } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { LogEntry } from '../types.ts';
import { openPostgresLog } from './log.ts';

describe('compaction in PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  async function storedOffsets(topic: string): Promise<number[]> {
    const { sql, close } = openDatabase({ url: database.url, applicationName: 'test', poolSize: 1 });
    const rows = await sql<{ offset: number }[]>`
      select "offset" from event_log.records where topic = ${topic} order by "offset"`;
    await close();
    return rows.map((row) => row.offset);
  }

  const open = (options = {}) => openPostgresLog({ url: database.url, compactionIntervalMs: 20, ...options });

  it('keeps the newest record of each key at its offset, including keys written again', async () => {
    const log = open();
    const topic = await newTopic(log, { partitions: 1, cleanup: 'compact' });
    for (const key of ['a', 'b', 'a', 'c', 'a']) await log.publish(topic, [record(key, 0, key)]);
    await eventually(async () => expect(await storedOffsets(topic)).toEqual([1, 3, 4]));
    await log.publish(topic, [record('new', 0, 'b')]);
    await eventually(async () => expect(await storedOffsets(topic)).toEqual([3, 4, 5]));
    const { records } = await collect(log, [topic], 3);
    expect(records.map((one) => [one.offset, String(one.value)])).toEqual([
      [3n, 'c'],
      [4n, 'a'],
      [5n, 'new'],
    ]);
    await log.close();
  });

  it('keeps a tombstone for its retention, then removes it; a consumer still reaches the end', async () => {
    const log = open();
    const compact = { partitions: 1, cleanup: 'compact' as const };
    const dropping = await newTopic(log, { ...compact, tombstoneRetentionMs: 0 });
    const keeping = await newTopic(log, { ...compact, tombstoneRetentionMs: 3_600_000 });
    const keepingByDefault = await newTopic(log, compact);
    const records = [record('a', 0, 'a'), record('b', 0, 'b'), record(null, 0, 'b')];
    for (const topic of [keeping, keepingByDefault, dropping]) await log.publish(topic, records);
    await eventually(async () => {
      expect(await storedOffsets(dropping)).toEqual([0]);
      expect(await storedOffsets(keeping)).toEqual([0, 2]);
      expect(await storedOffsets(keepingByDefault)).toEqual([0, 2]);
    });
    const group = newGroup();
    const consumption = await log.consume({ group, topics: [dropping], handle: async () => {} });
    await eventually(async () => expect(await log.committedOffsets(group, dropping)).toEqual([3n]));
    await consumption.stop();
    await log.close();
  });

  it('removes records past retention, oldest first, without renumbering', async () => {
    const log = open();
    const topic = await newTopic(log, { partitions: 1, retentionMs: 300 });
    const forever = await newTopic(log, { partitions: 1 });
    await log.publish(topic, [record('old'), record('older')]);
    await log.publish(forever, [record('stays')]);
    await eventually(async () => expect(await storedOffsets(topic)).toEqual([]));
    await log.publish(topic, [record('new')]);
    expect(await log.endOffsets(topic)).toEqual([3n]);
    expect(await storedOffsets(forever)).toEqual([0]);
    await log.close();
  });

  it('keeps records for as long as the settings of a later start require, and no shorter', async () => {
    const said: LogEntry[] = [];
    const log = open({ onLog: (entry: LogEntry) => said.push(entry) });
    const spec = {
      name: 'kept',
      partitions: 1,
      replication: 1,
      cleanup: 'delete',
      deadLetter: false,
    } as const;
    await log.createTopics([{ ...spec, retentionMs: 300 }]);
    await log.createTopics([{ ...spec, retentionMs: 3_600_000 }]);
    expect(said).toEqual([]);
    await log.createTopics([{ ...spec, retentionMs: 300 }]);
    expect(said).toEqual([
      {
        level: 'info',
        message:
          "topic kept keeps records for 3600000 ms, longer than the 300 ms of the settings. To delete them earlier, run update event_log.topics set retention_ms = 300 where name = 'kept'",
      },
    ]);
    await log.close();
  });

  it('reports each failed compaction', async () => {
    const failures: (string | undefined)[] = [];
    const log = open({ onLog: ({ task, level }: LogEntry) => failures.push(`${level}: ${task}`) });
    const topic = await newTopic(log, { partitions: 1, retentionMs: 1 });
    await log.publish(topic, [record('old')]);
    const { sql, close } = openDatabase({ url: database.url, applicationName: 'test', poolSize: 1 });
    await sql`alter table event_log.partitions rename to elsewhere`;
    const failure = 'error: compact the event log';
    await eventually(() => expect(failures.slice(0, 2)).toEqual([failure, failure]));
    await sql`alter table event_log.elsewhere rename to partitions`;
    await eventually(async () => expect(await storedOffsets(topic)).toEqual([]));
    await close();
    await log.close();
  });
});
