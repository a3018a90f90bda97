import { randomUUID } from 'node:crypto';
import { PartitionLost } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { eventIds, newProject, onEachBacking, quick, sent } from '../testing/events-harness.ts';

onEachBacking('records that are read again', ({ harness, run, running }) => {
  it('goes on where another leaves in the middle, with nothing lost and nothing twice', async () => {
    const projectId = newProject();
    const all: string[] = [];
    const publish = async () => {
      const events = Array.from({ length: 20 }, () => sent());
      all.push(...events.map((one) => one.event_id));
      await harness.publish(projectId, events);
    };
    for (let round = 0; round < 4; round++) {
      const archive = run();
      await publish();
      await publish();
      if (round > 0) await running.shift()?.stop();
      expect(running).toContain(archive);
    }
    await publish();
    await harness.allCommitted();
    expect(eventIds(await harness.rows(projectId)).sort()).toEqual(all.sort());
  });

  it('writes nothing twice for a consumer that has lost its partition and does not know', async () => {
    const projectId = newProject();
    const [first, second, third] = [[sent()], [sent()], [sent()]].map((events) =>
      events.map((one) => ({ ...one, distinct_id: 'one' })),
    );
    // Its group’s commits are refused, as those of a consumer that was taken for dead.
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
                  throw new PartitionLost('another has it');
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

  it('reads the log again from its start when its offsets are lost, and writes nothing twice', async () => {
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

  it('keeps what is in a file whose records the log no longer has in full', async () => {
    const projectId = newProject();
    const archive = run({ settings: { ...quick, fileAgeMs: 500 } });
    for (let i = 0; i < 3; i++) await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    await archive.stop();
    const before = await harness.rows(projectId);
    expect(before).toHaveLength(3);
    // As if it had been killed once the file was there, and retention had removed the first record since.
    await harness.database.drizzle.execute(sql`update event_segments set stored_at = null
        where log_partition = ${before[0]?.['log_partition']} and last_offset >= ${before[0]?.['log_offset']}`);
    const isGone = ({ partition, offset }: { partition: number; offset: bigint }) =>
      partition === before[0]?.['log_partition'] && String(offset) === before[0]?.['log_offset'];
    const group = `late-${randomUUID()}`;
    run({
      log: {
        consume: (options) =>
          harness.log.consume({
            ...options,
            group,
            handle: (batch) =>
              options.handle({ ...batch, records: batch.records.filter((record) => !isGone(record)) }),
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

  it('writes the events of a topic made anew beside those of the old one', async () => {
    const projectId = newProject();
    run();
    await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    // What an old topic left behind: the same offsets, other times.
    await harness.database.drizzle.execute(sql`
        update event_segments set first_at = first_at - 1000000, earliest_at = earliest_at - 1000000,
          latest_at = latest_at - 1000000, last_offset = last_offset + 1000`);
    await harness.publish(projectId, [sent({ distinct_id: 'one' })]);
    await harness.allCommitted();
    expect(await harness.rows(projectId)).toHaveLength(2);
  });
});
