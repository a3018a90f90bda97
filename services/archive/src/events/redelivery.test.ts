import { randomUUID } from 'node:crypto';
import { PartitionLost, partitionFor } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { eventIds, newProject, onEachBacking, PARTITIONS, quick, sent } from '../testing/events-harness.ts';

onEachBacking('redelivered records', ({ harness, run, running }) => {
  it('archives events once when consumers leave and join', async () => {
    const projectId = newProject();
    const all: string[] = [];
    const publish = async () => {
      const events = Array.from({ length: 20 }, () => sent());
      all.push(...events.map((one) => one.event_id));
      await harness.publish(projectId, events);
    };
    for (let round = 0; round < 4; round++) {
      const consumer = run();
      await publish();
      await publish();
      if (round > 0) await running.shift()?.stop();
      expect(running).toContain(consumer);
    }
    await publish();
    await harness.allCommitted();
    expect(eventIds(await harness.rows(projectId)).sort()).toEqual(all.sort());
  });

  it('archives events once when a consumer has lost its partition without knowing', async () => {
    const projectId = newProject();
    const [first, second, third] = [[sent()], [sent()], [sent()]].map((events) =>
      events.map((one) => ({ ...one, distinct_id: 'one' })),
    );
    // Its commits are rejected, as after a lost lease.
    const zombie = run({
      log: {
        consume: (options) =>
          harness.log.consume({
            ...options,
            group: `zombie-${randomUUID()}`,
            handle: (batch) =>
              options.handle({
                ...batch,
                commit: async () => {
                  throw new PartitionLost('another owner');
                },
              }),
          }),
      },
      settings: { ...quick, fileAgeMs: 400 },
    });
    run();
    for (const events of [first, second, third]) {
      await harness.publish(projectId, events ?? []);
      await harness.allCommitted();
    }
    await zombie.stop();
    expect(await harness.rows(projectId)).toHaveLength(3);
  });

  it('archives events once when the offsets of the group are lost', async () => {
    const projectId = newProject();
    run();
    for (let i = 0; i < 5; i++) await harness.publish(projectId, [sent(), sent()]);
    await harness.allCommitted();
    const before = await harness.rows(projectId);
    const group = `lost-${randomUUID()}`;
    run({ log: { consume: (options) => harness.log.consume({ ...options, group }) } });
    await eventually(
      async () => {
        for (const { behind } of await harness.log.lag(group, ['events'])) expect(behind).toBe(0n);
      },
      { withinMs: 20_000 },
    );
    expect(await harness.rows(projectId)).toEqual(before);
  });

  it('archives events once when the segment before a known one was deleted', async () => {
    const projectId = newProject();
    const consumer = run();
    for (let i = 0; i < 3; i++) {
      await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
      await harness.allCommitted();
    }
    await consumer.stop();
    const before = await harness.rows(projectId);
    expect(await harness.files(projectId)).toHaveLength(3);
    // As after the segments' retention, while the log still has the records.
    await harness.database.drizzle.execute(sql`delete from event_segments
        where log_partition = ${before[0]?.['log_partition']} and first_offset = ${before[0]?.['log_offset']}`);
    await harness.database.drizzle.execute(sql`delete from seen_events`);
    const group = `anew-${randomUUID()}`;
    run({
      settings: { ...quick, fileAgeMs: 1_000 },
      log: { consume: (options) => harness.log.consume({ ...options, group }) },
    });
    await eventually(
      async () => {
        for (const { behind } of await harness.log.lag(group, ['events'])) expect(behind).toBe(0n);
      },
      { withinMs: 20_000 },
    );
    expect(await harness.rows(projectId)).toEqual(before);
  });

  it('keeps a file after its first records have expired', async () => {
    const projectId = newProject();
    const consumer = run({ settings: { ...quick, fileAgeMs: 500 } });
    for (let i = 0; i < 3; i++) await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    await consumer.stop();
    const before = await harness.rows(projectId);
    expect(before).toHaveLength(3);
    // As if the process had been killed after storing the file, and the first record had expired since.
    await harness.database.drizzle.execute(sql`update event_segments set stored_at = null
        where log_partition = ${before[0]?.['log_partition']} and last_offset >= ${before[0]?.['log_offset']}`);
    const isExpired = ({ partition, offset }: { partition: number; offset: bigint }) =>
      partition === before[0]?.['log_partition'] && String(offset) === before[0]?.['log_offset'];
    const group = `late-${randomUUID()}`;
    run({
      log: {
        consume: (options) =>
          harness.log.consume({
            ...options,
            group,
            handle: (batch) =>
              options.handle({ ...batch, records: batch.records.filter((record) => !isExpired(record)) }),
          }),
      },
    });
    await eventually(
      async () => {
        for (const { behind } of await harness.log.lag(group, ['events'])) expect(behind).toBe(0n);
      },
      { withinMs: 20_000 },
    );
    expect(await harness.rows(projectId)).toEqual(before);
  });

  it('archives events after offsets go back, and commits no offset past them', async () => {
    const projectId = newProject();
    const one = () => sent({ distinct_id: 'one' });
    let shift = 1000n;
    const own = partitionFor(`${projectId}:one`, PARTITIONS);
    /** Only commits of this partition, which has lower offsets. */
    const commits: bigint[] = [];
    run({
      settings: { ...quick, fileAgeMs: 4000 },
      log: {
        // As after an unclean leader election: new records reuse the offsets of the first ones.
        consume: (options) =>
          harness.log.consume({
            ...options,
            group: `back-${randomUUID()}`,
            handle: (batch) => {
              const by = shift;
              const records = batch.records.map((record) => ({ ...record, offset: record.offset + by }));
              const commit = async (offset = batch.nextOffset + by) => {
                if (shift === 0n && batch.partition === own) commits.push(offset);
                if (offset <= batch.nextOffset) await batch.commit(offset);
              };
              return options.handle({ ...batch, records, nextOffset: batch.nextOffset + by, commit });
            },
          }),
      },
    });
    const published = [one(), one(), one()];
    await harness.publish(projectId, published.slice(0, 1));
    await eventually(async () => {
      const seen = await harness.database.drizzle.execute(
        sql`select 1 from seen_events where log_offset >= 1000`,
      );
      expect(seen.length).toBeGreaterThan(0);
    });
    shift = 0n;
    for (const event of published.slice(1)) await harness.publish(projectId, [event]);
    await eventually(async () => expect(await harness.rows(projectId)).toHaveLength(3), { withinMs: 20_000 });
    const ids = eventIds(await harness.rows(projectId)).sort();
    expect(ids).toEqual(published.map(({ event_id }) => event_id).sort());
    await eventually(() => expect(commits).not.toEqual([]));
    expect(commits.filter((offset) => offset >= 1000n)).toEqual([]);
  });

  it('archives the events of a truncated log next to those it had before', async () => {
    const projectId = newProject();
    const consumer = run();
    for (let i = 0; i < 3; i++) await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    await consumer.stop();
    const [before] = await harness.rows(projectId);
    // As if the segments had contained lost records, and later records reuse their offsets.
    await harness.database.drizzle.execute(sql`update event_segments set last_offset = last_offset + 10
        where log_partition = ${before?.['log_partition']} and first_offset >= ${before?.['log_offset']}`);
    await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    const group = `cut-${randomUUID()}`;
    run({ log: { consume: (options) => harness.log.consume({ ...options, group }) } });
    await eventually(
      async () => {
        for (const { behind } of await harness.log.lag(group, ['events'])) expect(behind).toBe(0n);
      },
      { withinMs: 20_000 },
    );
    expect(await harness.rows(projectId)).toHaveLength(4);
  });

  it('archives the events of a recreated topic in files of their own', async () => {
    const projectId = newProject();
    run();
    await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    // Segments of an earlier topic, with the same offsets and other times.
    await harness.database.drizzle.execute(sql`
        update event_segments set first_at = first_at - 1000000, earliest_at = earliest_at - 1000000,
          latest_at = latest_at - 1000000, last_offset = last_offset + 1000`);
    await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    expect(await harness.rows(projectId)).toHaveLength(2);
  });

  it('archives an event once that is sent again to the same place of a recreated topic', async () => {
    const projectId = newProject();
    const consumer = run();
    const event = sent({ distinct_id: 'one' });
    await harness.publish(projectId, [event]);
    await harness.allCommitted();
    await consumer.stop();
    const [row] = await harness.rows(projectId);
    // As if the first copy had been on an earlier topic, where the second copy now is.
    const { log_partition: partition, log_offset: offset } = row ?? {};
    await harness.database.drizzle.execute(sql`
      update seen_events set log_offset = log_offset + 1, accepted_at = accepted_at - interval '1 minute'
        where log_partition = ${partition} and log_offset = ${offset}`);
    run();
    await harness.publish(projectId, [event]);
    await harness.allCommitted();
    expect(await harness.rows(projectId)).toHaveLength(1);
  });
});
