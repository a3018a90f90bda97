import { randomUUID } from 'node:crypto';
import { openDatabase } from '@switchboard/database';
import { eventually, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PartitionLost } from '../errors.ts';
import { newGroup, newTopic } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { LogEntry, RecordBatch } from '../types.ts';
import { openPostgresLog } from './log.ts';

describe('a consumer on PostgreSQL', () => {
  let database: Awaited<ReturnType<typeof testDatabase>>;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.drop());

  function open() {
    const entries: LogEntry[] = [];
    const log = openPostgresLog({ url: database.url, onLog: (entry) => entries.push(entry) });
    const { sql, close } = openDatabase({ url: database.url, applicationName: 'test', poolSize: 1 });
    onTestFinished(async () => {
      await log.close();
      await close();
    });
    return { log, sql, entries };
  }

  it('drops the work of a lost and regained lease before it reads on, and cannot commit that work', async () => {
    const { log, sql } = open();
    const topic = await newTopic(log, { partitions: 1 });
    const group = newGroup();
    const events: string[] = [];
    const batches: RecordBatch[] = [];
    const { promise: gate, resolve: finishOld } = Promise.withResolvers<void>();
    await log.publish(topic, [record('a')]);
    await log.consume({
      group,
      topics: [topic],
      commit: 'manual',
      leaseMs: 400,
      onRevoked: () => events.push('revoked'),
      async handle(batch) {
        batches.push(batch);
        events.push(`begins ${batch.records.map(({ value }) => value)}`);
        if (batches.length === 1) await gate;
        events.push('ends');
      },
    });
    await eventually(() => expect(events).toEqual(['begins a']));
    // Simulates a member that takes over the partition and gives it back.
    await sql`
      update event_log.group_partitions set epoch = epoch + 1, owner = null, lease_until = null
      where "group" = ${group}`;
    await eventually(() => expect(batches[0]?.signal.aborted).toBe(true));
    expect(events).toEqual(['begins a', 'revoked']);
    // Long enough for several lease renewals.
    await new Promise((resolve) => setTimeout(resolve, 800));
    expect(events).toEqual(['begins a', 'revoked']);
    finishOld();
    await eventually(() => expect(events).toHaveLength(5));
    expect(events).toEqual(['begins a', 'revoked', 'ends', 'begins a', 'ends']);
    await expect(batches[0]?.commit()).rejects.toThrow(PartitionLost);
    expect(await log.committedOffsets(group, topic)).toEqual([0n]);
    await batches[1]?.commit();
    expect(await log.committedOffsets(group, topic)).toEqual([1n]);
  });

  it('renews the members of a process by one statement', async () => {
    const { log, sql } = open();
    const topic = await newTopic(log, { partitions: 1 });
    const groups = [newGroup(), newGroup(), newGroup()];
    for (const group of groups)
      await log.consume({ group, topics: [topic], leaseMs: 600, async handle() {} });
    await eventually(async () => {
      const rows = await sql`
        select count(*)::int as members, count(distinct lease_until)::int as leases
        from event_log.group_members where "group" = any(${groups})`;
      expect(rows).toEqual([{ members: 3, leases: 1 }]);
    });
  });

  it('takes over the partitions of a killed member after the clock was set back', async () => {
    const { log, sql } = open();
    const topic = await newTopic(log, { partitions: 2 });
    const group = newGroup();
    const killed = randomUUID();
    // Simulates leases that a member renewed while the clock was an hour ahead.
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await sql`insert into event_log.group_members ("group", member, topics, lease_until)
      values (${group}, ${killed}, ${JSON.stringify([topic])}::jsonb, ${until})`;
    await sql`insert into event_log.group_partitions ("group", topic, partition, owner, epoch, lease_until)
      select ${group}, ${topic}, n, ${killed}, 1, ${until} from generate_series(0, 1) as n`;
    const read: string[] = [];
    await log.publish(topic, [record('a', 0), record('b', 1)]);
    await log.consume({
      group,
      topics: [topic],
      leaseMs: 400,
      handle: async ({ records }) => void read.push(...records.map(({ value }) => String(value))),
    });
    await eventually(() => expect(read.sort()).toEqual(['a', 'b']));
  });

  it.each(['while it reads', 'while it is away'])(
    'reads new records after offsets went back %s, and reports it',
    async (when) => {
      const { log, sql, entries } = open();
      const topic = await newTopic(log, { partitions: 1 });
      const group = newGroup();
      const events: string[] = [];
      const read = () =>
        log.consume({
          group,
          topics: [topic],
          leaseMs: 400,
          onRevoked: () => events.push('revoked'),
          handle: async ({ records }) => void events.push(...records.map(({ value }) => String(value))),
        });
      let consumption = await read();
      await log.publish(topic, [record('a'), record('b'), record('c')]);
      await eventually(async () => expect(await log.committedOffsets(group, topic)).toEqual([3n]));
      if (when === 'while it is away') await consumption.stop();
      events.length = 0;
      // Simulates a log that was restored from a backup, or a recreated topic.
      await sql`delete from event_log.records where topic = ${topic}`;
      await sql`update event_log.partitions set next_offset = 0, compacted_to = 0 where topic = ${topic}`;
      await log.publish(topic, [record('new')]);
      if (when === 'while it is away') consumption = await read();
      await eventually(() => expect(events).toEqual(['revoked', 'new']));
      await eventually(async () => expect(await log.committedOffsets(group, topic)).toEqual([1n]));
      await consumption.stop();
      expect(entries.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
        expect.stringMatching(new RegExp(`^${group} is at offset 3 of ${topic}/0, which is not stored`)),
      ]);
    },
  );
});
