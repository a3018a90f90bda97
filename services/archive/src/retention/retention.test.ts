import type { EventLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type EventsHarness,
  eventIds,
  newProject,
  onPostgresAndFolder,
  sent,
} from '../testing/events-harness.ts';
import { deleteExpired } from './retention.ts';
import { createRetentionStore } from './store.ts';

let harness: EventsHarness;
beforeAll(async () => {
  harness = await onPostgresAndFolder();
});
afterAll(() => harness.stop());

const expire = (log: Pick<EventLog, 'lag'> = harness.log) =>
  deleteExpired(createRetentionStore(harness.database.drizzle), { log, retentionHours: 168 });

const count = async (table: string) => {
  const [row] = await harness.database.drizzle.execute(
    sql`select count(*)::int as n from ${sql.identifier(table)}`,
  );
  return row?.['n'];
};

it('an event counts as new after seven days, and not before', async () => {
  const projectId = newProject();
  const [one, other] = [sent({ distinct_id: 'one' }), sent({ distinct_id: 'one' })];
  const consumer = harness.consumer();
  consumer.start();
  await harness.publish(projectId, [one, other]);
  await harness.publish(projectId, [one]);
  await harness.allCommitted();
  await eventually(async () => expect(await count('seen_events')).toBe(2));
  await harness.database.drizzle.execute(sql`
    update seen_events set seen_at = now() - interval '1 day' * case log_line when 0 then 8 else 6 end`);
  expect(await expire()).toBe(1);
  expect(await count('seen_events')).toBe(1);
  expect(await count('duplicate_events')).toBe(1);
  await harness.publish(projectId, [one, other]);
  await harness.allCommitted();
  expect(eventIds(await harness.rows(projectId))).toHaveLength(3);
  await consumer.stop();
});

describe('segments', () => {
  const age = (days: number) =>
    harness.database.drizzle.execute(
      sql`update event_segments set created_at = now() - interval '1 day' * ${days}`,
    );
  /** The log once some of its records have expired, or its topic was recreated. */
  const logWhere = (range: { committed?: bigint; end?: bigint }): Pick<EventLog, 'lag'> => ({
    lag: async (...asked) => (await harness.log.lag(...asked)).map((one) => ({ ...one, ...range })),
  });

  it('are kept while the log has their records, however old, and until they are older than its files', async () => {
    const before = Number(await count('event_segments'));
    expect(before).toBeGreaterThan(0);
    const expired = logWhere({ committed: 1_000n, end: 1_000n });
    await age(37);
    await expire(expired);
    await age(39);
    await expire();
    expect(await count('event_segments')).toBe(before);
    await expire(expired);
    expect(await count('event_segments')).toBe(0);
  });

  it('of offsets that the log has not reached are those of an earlier topic, and are deleted', async () => {
    await harness.database.drizzle.execute(sql`
      insert into event_segments (log_partition, first_offset, first_at, last_offset, earliest_at, latest_at)
      values (0, 1000000, 1, 1000001, 1, 1)`);
    await age(39);
    await expire();
    expect(await count('event_segments')).toBe(0);
  });
});

it('rows beyond the limit of a statement are deleted by further statements', async () => {
  await harness.database.drizzle.execute(sql`
    insert into seen_events (event_key, log_partition, log_offset, log_line, accepted_at, seen_at)
    select gen_random_uuid(), 0, i, 0, now(), now() - interval '8 days' from generate_series(1, 12000) as i`);
  expect(await expire()).toBe(12_000);
});

it('a minute of events at full speed is deleted within one', async () => {
  const store = createRetentionStore(harness.database.drizzle);
  let left = 2_400_000;
  const deleteSeen = async (_: number, limit: number) => {
    const rows = Math.min(limit, left);
    left -= rows;
    return rows;
  };
  await deleteExpired({ ...store, deleteSeen }, { log: harness.log, retentionHours: 168 });
  expect(left).toBe(0);
});
