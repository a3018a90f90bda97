import { randomUUID } from 'node:crypto';
import { PartitionLost } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { eventIds, newProject, onEachBacking, quick, sent } from '../testing/events-harness.ts';

onEachBacking('redelivered records', ({ harness, run, running }) => {
  it('are archived once when consumers leave and join', async () => {
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

  it('are archived once by a consumer that has lost its partition without knowing', async () => {
    const projectId = newProject();
    const [first, second, third] = [[sent()], [sent()], [sent()]].map((events) =>
      events.map((one) => ({ ...one, distinct_id: 'one' })),
    );
    // Its commits are refused, as after a lost lease.
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

  it('are archived once when the offsets of the group are lost', async () => {
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

  it('do not replace a file whose first records have expired', async () => {
    const projectId = newProject();
    const consumer = run({ settings: { ...quick, fileAgeMs: 500 } });
    for (let i = 0; i < 3; i++) await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    await consumer.stop();
    const before = await harness.rows(projectId);
    expect(before).toHaveLength(3);
    // As if it had been killed after storing the file, and the first record had expired since.
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

  it('of a recreated topic get files beside those of the old one', async () => {
    const projectId = newProject();
    run();
    await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    // Segments of an earlier topic: the same offsets, other times.
    await harness.database.drizzle.execute(sql`
        update event_segments set first_at = first_at - 1000000, earliest_at = earliest_at - 1000000,
          latest_at = latest_at - 1000000, last_offset = last_offset + 1000`);
    await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    expect(await harness.rows(projectId)).toHaveLength(2);
  });
});
