import { randomUUID } from 'node:crypto';
import type { EventLog } from '@switchboard/event-log';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEventsStore } from '../events/store.ts';
import { type EventsHarness, newProject, onPostgresAndFolder, sent } from '../testing/events-harness.ts';
import { deleteExpired } from './retention.ts';
import { createRetentionStore } from './store.ts';

let harness: EventsHarness;
beforeAll(async () => {
  harness = await onPostgresAndFolder();
});
afterAll(() => harness.stop());

const logged: object[] = [];
let droppedEarly = 0;
const logger = {
  ...createLogger({ service: 'archive', level: 'silent' }),
  error: (fields: object) => logged.push(fields),
};

/** Returns the store as it is in `days` days. */
const storeIn = (days: number) =>
  createRetentionStore(harness.database.drizzle, sql`((now() at time zone 'utc')::date + ${days}::integer)`);
const expire = (days = 0, more: { log?: Pick<EventLog, 'lag'>; seenBytes?: number } = {}) =>
  deleteExpired(storeIn(days), {
    log: harness.log,
    logger: logger as never,
    onDroppedEarly: () => droppedEarly++,
    seenBytes: 1_000_000_000,
    retentionHours: 168,
    ...more,
  });

const count = async (table: string) => {
  const [row] = await harness.database.drizzle.execute(
    sql`select count(*)::int as n from ${sql.identifier(table)}`,
  );
  return row?.['n'];
};

it('counts an event as new seven days after the end of its day, and not before', async () => {
  const projectId = newProject();
  const events = [sent({ distinct_id: 'one' }), sent({ distinct_id: 'one' })];
  const consumer = harness.consumer();
  consumer.start();
  const send = async () => {
    await harness.publish(projectId, events);
    await harness.allCommitted();
    return (await harness.rows(projectId)).length;
  };
  expect(await send()).toBe(2);
  for (const days of [1, 2, 7]) {
    await expire(days);
    expect(await send()).toBe(2);
  }
  expect(await count('seen_events')).toBe(2);
  expect(await count('duplicate_events')).toBe(6);
  await expire(8);
  expect(await count('seen_events')).toBe(0);
  expect(await send()).toBe(4);
  // The rows of the first following day are kept.
  await expire(9);
  expect(await count('seen_events')).toBe(2);
  await consumer.stop();
});

it('gives an event one first place when several consumers see it while days begin', async () => {
  const events = Array.from({ length: 300 }, (_, line) => ({ key: randomUUID(), line }));
  const store = createEventsStore(harness.database.drizzle);
  let begun = 0;
  const writer = async (partition: number) => {
    let inserted = 0;
    for (let round = 0; round < 12; round++) {
      const some = events
        .filter(() => Math.random() < 0.5)
        .map(({ key, line }) => ({
          keys: key,
          lines: [line],
          partition,
          offset: BigInt(round),
          acceptedAt: Date.now(),
        }));
      inserted += await store.insertSeen(some);
    }
    return inserted;
  };
  const days = async () => {
    for (let day = 10; day < 16; day++) if (await storeIn(day).beginDay()) begun++;
  };
  const before = Number(await count('seen_events'));
  const [inserted] = await Promise.all([Promise.all([0, 1, 2, 3].map(writer)), days()]);
  const found = await store.findSeen(events.map(({ key }) => key));
  expect(begun).toBe(6);
  expect(inserted.reduce((sum, one) => sum + one, 0)).toBe(found.size);
  expect(await count('seen_events')).toBe(before + found.size);
});

it('makes a new day wait for statements that write, and those after it write to the new day', async () => {
  const store = createEventsStore(harness.database.drizzle);
  const one = { keys: randomUUID(), partition: 0, offset: 1n, lines: [0], acceptedAt: 0 };
  const days = async () => (await storeIn(20).days()).length;
  const before = await days();
  const { beginning, writing } = await harness.database.drizzle.transaction(async (tx) => {
    await createEventsStore(tx).insertSeen([{ ...one, keys: randomUUID() }]);
    const begin = storeIn(20).beginDay();
    await waiting(1);
    const write = store.insertSeen([one]);
    await waiting(2);
    expect(await days()).toBe(before);
    return { beginning: begin, writing: write };
  });
  expect([await beginning, await writing]).toEqual([true, 1]);
  const [row] = await harness.database.drizzle.execute(
    sql`select day = (select max(day) from seen_days) as is_new from seen_events where event_key = ${one.keys}`,
  );
  expect(row?.['is_new']).toBe(true);
});

const waiting = (count: number) =>
  eventually(async () => {
    const rows = await harness.database.drizzle.execute(
      sql`select 1 from pg_locks join pg_database on oid = database
        where datname = current_database() and not granted and locktype = 'relation'`,
    );
    expect(rows).toHaveLength(count);
  });

it('drops the earliest days, and logs it, when all days together exceed their limit', async () => {
  await storeIn(21).beginDay();
  await createEventsStore(harness.database.drizzle).insertSeen([
    { keys: randomUUID(), partition: 0, offset: 1n, lines: [0], acceptedAt: 0 },
  ]);
  await expire(21, { seenBytes: 1 });
  expect(await storeIn(21).days()).toHaveLength(1);
  expect(await count('seen_events')).toBe(1);
  expect(logged.length).toBeGreaterThan(0);
  expect(droppedEarly).toBe(logged.length);
});

describe('segments', () => {
  const age = (days: number) =>
    harness.database.drizzle.execute(
      sql`update event_segments set created_at = now() - interval '1 day' * ${days}`,
    );
  /** Returns the log after some of its records have expired, or its topic was recreated. */
  const logWhere = (range: { committed?: bigint; end?: bigint }): Pick<EventLog, 'lag'> => ({
    lag: async (...asked) => (await harness.log.lag(...asked)).map((one) => ({ ...one, ...range })),
  });

  it('keeps segments while the log has their records, and until they are older than its files', async () => {
    const before = Number(await count('event_segments'));
    expect(before).toBeGreaterThan(0);
    const expired = logWhere({ committed: 1_000n, end: 1_000n });
    await age(37);
    await expire(21, { log: expired });
    await age(39);
    await expire(21);
    expect(await count('event_segments')).toBe(before);
    await expire(21, { log: expired });
    expect(await count('event_segments')).toBe(0);
  });

  it('deletes segments with offsets that the log has not reached, which belong to an earlier topic', async () => {
    await harness.database.drizzle.execute(sql`
      insert into event_segments (log_partition, first_offset, first_at, last_offset, earliest_at, latest_at)
      values (0, 1000000, 1, 1000001, 1, 1)`);
    await age(39);
    await expire(21);
    expect(await count('event_segments')).toBe(0);
  });
});

it('deletes rows beyond the limit of one statement with further statements', async () => {
  await harness.database.drizzle.execute(sql`
    insert into event_dead_letters (log_partition, log_offset, log_line, recorded_at, reason, seen_at)
    select 0, i, 0, i, 'not JSON', now() - interval '8 days' from generate_series(1, 12000) as i`);
  await expire(21);
  expect(await count('event_dead_letters')).toBe(0);
});
