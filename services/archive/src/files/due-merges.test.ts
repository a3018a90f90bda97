import { type Database, openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { ANY_PROJECT } from '../rows/contents.ts';
import { archiveMigrations } from '../schema/migrations.ts';
import { rowsRead } from '../testing/rows-read.ts';
import { createDueMerges } from './due-merges.ts';
import type { Merge } from './plan.ts';
import { createFilesStore } from './store.ts';

const test = await testDatabase({ migrations: [archiveMigrations] });
const database = openDatabase({ url: test.url, applicationName: 'test', statementTimeoutMs: 60_000 });
const store = createFilesStore(database.drizzle);
beforeEach(async () => {
  await database.sql`truncate event_files`;
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const now = () => Date.parse('2026-03-01T12:00:00Z');
const without = new Set<string>();

/** Inserts a number of files for each of the days before today, each of its own project or of any. */
async function insertFiles({ days, ofEach, isOwn }: { days: number; ofEach: number; isOwn: boolean }) {
  await database.drizzle.execute(sql`
    insert into event_files (key, day, project_id, rows, bytes, row_bytes, first_occurred_at, last_occurred_at)
    select day::text || ' ' || file, date '2026-03-01' - day, case when ${isOwn} then file::text end, 1, 1000, 300, 0, 0
    from generate_series(1, ${days}::integer) as day, generate_series(1, ${ofEach}::integer) as file`);
  await database.drizzle.execute(sql`analyze event_files`);
}

let number = 0;
/** Carries out a merge: one file replaces the others. */
async function carryOut({ day, files }: Merge): Promise<void> {
  const key = `merged ${number++}`;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const contents = {
    rows: files.length,
    rowBytes: 300,
    firstOccurredAt: 0,
    lastOccurredAt: 0,
    eventNames: null,
  };
  await store.enter(
    [{ key, day, bytes, ...contents, ...ANY_PROJECT }],
    files.map((file) => file.key),
  );
}

it('gives every day its turn, however old it is, also when it gets files later', async () => {
  await insertFiles({ days: 300, ofEach: 70, isOwn: false });
  const merges = createDueMerges({ store });
  const days: string[] = [];
  for await (const merge of merges.find({ now, without })) {
    days.push(merge.day);
    await carryOut(merge);
  }
  expect([days.length, days[0], new Set(days).size]).toEqual([300, '2026-02-28', 300]);
  expect(await store.readable('0001-01-01', 2_000)).toHaveLength(300);
  await database.sql`
    insert into event_files (key, day, rows, bytes, row_bytes, first_occurred_at, last_occurred_at)
    select 'late ' || file, '2025-08-01', 1, 10000, 300, 0, 0 from generate_series(1, 2) as file`;
  const late: string[] = [];
  for (let search = 0; search < 2; search++) {
    for await (const merge of merges.find({ now, without })) {
      late.push(merge.day);
      await carryOut(merge);
    }
  }
  expect(late).toEqual(['2025-08-01']);
});

it('puts files of today first while earlier days have their turns', async () => {
  await insertFiles({ days: 5, ofEach: 3, isOwn: false });
  const merges = createDueMerges({ store });
  const days: string[] = [];
  for await (const merge of merges.find({ now, without })) {
    days.push(merge.day);
    await carryOut(merge);
    if (days.length !== 2) continue;
    await database.sql`
      insert into event_files (key, day, rows, bytes, row_bytes, first_occurred_at, last_occurred_at)
      select 'today ' || file, '2026-03-01', 1, 1000, 300, 0, 0 from generate_series(1, 16) as file`;
  }
  const before = ['2026-02-28', '2026-02-27'];
  expect(days).toEqual([...before, '2026-03-01', '2026-02-26', '2026-02-25', '2026-02-24']);
});

it('leaves out a file after a failed merge until its pause is over, whatever days it searches', async () => {
  await insertFiles({ days: 3, ofEach: 2, isOwn: false });
  let passedMs = 0;
  const merges = createDueMerges({ store, elapsed: () => passedMs });
  const found = async (at: number) => {
    const days: string[] = [];
    for await (const { day, files } of merges.find({ now: () => at, without })) {
      days.push(day);
      merges.setAside(files);
    }
    return days;
  };
  const all = ['2026-02-28', '2026-02-27', '2026-02-26'];
  expect(await found(now())).toEqual(all);
  passedMs = 30_000;
  expect(await found(now() + passedMs)).toEqual([]);
  passedMs = 90_000;
  const setBack = now() + passedMs - 3_600_000;
  expect(await found(setBack)).toEqual(all);
});

it('reads few of all the files in the archive', async () => {
  // A hundred files on each of 300 days, none of which is due.
  await insertFiles({ days: 300, ofEach: 100, isOwn: true });
  const rows = await rowsRead(database, async (db: Database['drizzle']) => {
    for await (const { day } of createDueMerges({ store: createFilesStore(db) }).find({ now, without }))
      throw new Error(`${day} has nothing to merge`);
  });
  // Includes yesterday's files, and those of the ten days in turn, found one by one.
  expect(rows).toBeGreaterThanOrEqual(1_100);
  expect(rows).toBeLessThanOrEqual(1_120);
});
