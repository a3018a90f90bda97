import { type Database, openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ingestionMigrations } from '../migrations.ts';
import { createSegments } from './segments.ts';
import { findTraces } from './traces.ts';

const test = await testDatabase({ migrations: [ingestionMigrations] });
const database = openDatabase({ url: test.url, applicationName: 'test' });
const KEY = '0'.repeat(32);

beforeAll(async () => {
  // A week and more of bookkeeping: segments of 100 records each, and one event with two duplicates.
  await database.drizzle.execute(sql`
    insert into archive_segments (log_partition, first_offset, first_at, last_offset, earliest_at, latest_at, stored_at)
    select p, i * 100, i * 1000, i * 100 + 99, i * 1000, i * 1000 + 999, now()
    from generate_series(0, 3) as p, generate_series(0, 9999) as i`);
  await database.drizzle.execute(sql`
    insert into archive_sightings (event_key, log_partition, log_offset, log_line, accepted_at)
    select case when i = 0 then ${KEY}::uuid else gen_random_uuid() end, 0, i, 0, now()
    from generate_series(0, 50000) as i`);
  await database.drizzle.execute(sql`
    insert into archive_duplicates (event_key, log_partition, log_offset, log_line, accepted_at)
    select case when i < 2 then ${KEY}::uuid else gen_random_uuid() end, 1, i, 0, now() from generate_series(0, 20000) as i`);
  await database.drizzle.execute(sql`
    insert into archive_dead_letters (log_partition, log_offset, log_line, recorded_at, event_key, reason)
    select 2, i, 0, i, gen_random_uuid(), 'not JSON' from generate_series(0, 20000) as i`);
  await database.drizzle.execute(sql`analyze`);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

/** Rows of the archive's tables that some queries read. */
async function rowsRead(queries: (database: Pick<Database, 'drizzle'>) => Promise<unknown>): Promise<number> {
  return database.drizzle.transaction(async (tx) => {
    const read = async () => {
      const [row] = await tx.execute<{ rows: number | bigint }>(sql`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_xact_user_tables
        where relname like 'archive_%'`);
      return Number(row?.rows);
    };
    // The server also counts earlier transactions until it has reported them.
    const before = await read();
    await queries({ drizzle: tx as unknown as Database['drizzle'] });
    return (await read()) - before;
  });
}

it('what is known of an event is found by reading its own rows alone', async () => {
  expect(await rowsRead((own) => findTraces(own, KEY))).toBe(3);
  expect(await rowsRead((own) => findTraces(own, 'f'.repeat(32)))).toBe(0);
});

it('the file of an event is found by reading no more than fifty segments, of however many', async () => {
  const segments = (own: Pick<Database, 'drizzle'>) => createSegments(own);
  expect(await rowsRead((own) => segments(own).at(1, 5n))).toBeLessThanOrEqual(50);
  expect((await segments(database).at(1, 500_050n)).map((one) => one.firstOffset)).toEqual([500_000n]);
});

it('whether a record belongs to a segment is told by reading one, and none for a new record', async () => {
  const find = (own: Pick<Database, 'drizzle'>, offset: bigint, timestamp: number) =>
    createSegments(own).containing(2, { offset, timestamp });
  expect(await rowsRead((own) => find(own, 500_050n, 5_000_500))).toBe(1);
  expect(await rowsRead((own) => find(own, 1_000_000n, 10_000_500))).toBe(0);
  expect((await find(database, 500_050n, 5_000_500))?.firstOffset).toBe(500_000n);
});
