import { openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveMigrations } from '../schema/migrations.ts';
import { rowsRead } from '../testing/rows-read.ts';
import { createEventsStore, type EventsStore } from './store.ts';

const test = await testDatabase({ migrations: [archiveMigrations] });
const database = openDatabase({ url: test.url, applicationName: 'test', statementTimeoutMs: 60_000 });
const KEY = '0'.repeat(32);

beforeAll(async () => {
  // More than a week of history: segments of 100 records each, and one event with two duplicates.
  await database.drizzle.execute(sql`
    insert into event_segments (log_partition, first_offset, first_at, last_offset, earliest_at, latest_at, stored_at)
    select p, i * 100, i * 1000, i * 100 + 99, i * 1000, i * 1000 + 999, now()
    from generate_series(0, 3) as p, generate_series(0, 9999) as i`);
  await database.drizzle.execute(sql`
    insert into seen_events (event_key, log_partition, log_offset, log_line, accepted_at)
    select case when i = 0 then ${KEY}::uuid else gen_random_uuid() end, 0, i, 0, now()
    from generate_series(0, 50000) as i`);
  await database.drizzle.execute(sql`
    insert into duplicate_events (event_key, log_partition, log_offset, log_line, accepted_at)
    select case when i < 2 then ${KEY}::uuid else gen_random_uuid() end, 1, i, 0, now() from generate_series(0, 20000) as i`);
  await database.drizzle.execute(sql`
    insert into event_dead_letters (log_partition, log_offset, log_line, recorded_at, event_key, reason)
    select 2, i, 0, i, gen_random_uuid(), 'not JSON' from generate_series(0, 20000) as i`);
  await database.drizzle.execute(sql`analyze`);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const rowsReadBy = (queries: (store: EventsStore) => Promise<unknown>) =>
  rowsRead(database, (db) => queries(createEventsStore(db)));

const store = createEventsStore(database.drizzle);

it('reads only the rows of an event to find its history', async () => {
  expect(await rowsReadBy((own) => own.findHistory(KEY))).toBe(3);
  expect(await rowsReadBy((own) => own.findHistory('f'.repeat(32)))).toBe(0);
});

it('reads at most fifty segments to find the file of an event', async () => {
  expect(await rowsReadBy((own) => own.segmentsAt(1, 5n))).toBeLessThanOrEqual(50);
  expect((await store.segmentsAt(1, 500_050n)).map((one) => one.firstOffset)).toEqual([500_000n]);
});

it('reads one segment to find the file of a record, and none for a new record', async () => {
  const old = { offset: 500_050n, timestamp: 5_000_500 };
  const fresh = { offset: 1_000_000n, timestamp: 10_000_500 };
  expect(await rowsReadBy((own) => own.findSegment(2, old))).toBe(1);
  expect(await rowsReadBy((own) => own.findSegment(2, fresh))).toBe(0);
  expect((await store.findSegment(2, old))?.firstOffset).toBe(500_000n);
});
