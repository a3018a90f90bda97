import { type BackfillBatch, type Database, openDatabase, stepBackfill } from '@switchboard/database';
import { eventually, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createBackfills } from './backfill.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const test = await testDatabase();
  drop = test.drop;
  database = openDatabase({ url: test.url, applicationName: 'test' });
  await database.sql`
    create table backfills (name text primary key, position json, rows bigint not null default 0,
      next_at timestamptz not null default now(), done_at timestamptz)`;
  await database.sql`create table items (id text primary key, changes int not null default 0)`;
});
beforeEach(async () => {
  await database.sql`truncate backfills, items`;
  await database.sql`insert into items select to_char(i, 'FM0000') from generate_series(1, 1200) as i`;
});
afterAll(async () => {
  await database.close();
  await drop();
});

const batch: BackfillBatch = async (tx, after, limit) => {
  const rows = await tx.execute<{ id: string }>(`
    with found as (select id from items where id > '${after?.[0] ?? ''}' order by id limit ${limit} for update)
    update items set changes = changes + 1 from found where items.id = found.id returning items.id`);
  const ids = rows.map(({ id }) => id).sort();
  return { rows: rows.length, last: ids.length === 0 ? undefined : [ids.at(-1) ?? ''] };
};
const state = async () => {
  const [row] = await database.sql`select position, rows, done_at is not null as done from backfills`;
  return { ...row };
};
const changes = async () =>
  (await database.sql`select changes, count(*)::int as n from items group by 1 order by 1`).map((row) => [
    row['changes'],
    row['n'],
  ]);
const step = (of: BackfillBatch, rowsPerSecond = 1_000_000) =>
  stepBackfill(database.drizzle, { name: 'items', batch: of, limit: 500, rowsPerSecond });

it('continues after its last batch, and changes every row once', async () => {
  await step(batch);
  expect(await state()).toEqual({ position: ['0500'], rows: 500, done: false });
  const interrupted: BackfillBatch = async (...given) => {
    await batch(...given);
    throw new Error('killed');
  };
  await expect(step(interrupted)).rejects.toThrow('killed');
  expect(await changes()).toEqual([
    [0, 700],
    [1, 500],
  ]);
  await step(batch);
  expect(await step(batch)).toMatchObject({ isDone: true, rows: 200 });
  expect(await changes()).toEqual([[1, 1200]]);
  // The position is cleared, since keys may identify people.
  expect(await state()).toEqual({ position: null, rows: 1200, done: true });
  expect(await step(batch)).toEqual({ isDone: true, rows: 0, waitMs: 0 });
  expect(await changes()).toEqual([[1, 1200]]);
});

it('continues when its wait exceeds any possible one, as after the clock was set back', async () => {
  await step(batch, 500);
  expect(await step(batch, 500)).toMatchObject({ rows: 0 });
  await database.sql`update backfills set next_at = now() + interval '1 hour'`;
  expect(await step(batch, 500)).toMatchObject({ rows: 500 });
});

it('runs a batch in one process at a time, and applies the rate to all processes together', async () => {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const slow: BackfillBatch = async (...given) => {
    begun.resolve();
    await release.promise;
    return batch(...given);
  };
  // The row of the checkpoint must exist for the second process to skip it.
  await database.sql`insert into backfills (name) values ('items')`;
  const first = step(slow, 1);
  await begun.promise;
  expect(await step(batch, 1)).toMatchObject({ isDone: false, rows: 0 });
  release.resolve();
  expect(await first).toMatchObject({ rows: 500, waitMs: 500_000 });
  const { rows, waitMs } = await step(batch, 1);
  expect(rows).toBe(0);
  expect(waitMs).toBeGreaterThan(400_000);
  expect(await changes()).toEqual([
    [0, 700],
    [1, 500],
  ]);
});

it('runs once over several instances, and each instance reports the end', async () => {
  const started = [0, 1, 2].map(() => {
    const metrics = createMetrics('test');
    const logger = createLogger({ service: 'test', level: 'silent' });
    const backfills = [{ name: 'items', batch }];
    const work = createBackfills({ database, backfills, rowsPerSecond: 100_000, logger, metrics });
    work.start();
    const value = async (name: string) =>
      (await metrics.registry.getSingleMetric(name)?.get())?.values.reduce((sum, one) => sum + one.value, 0);
    return { work, value };
  });
  for (const { value } of started)
    await eventually(async () => expect(await value('switchboard_backfill_done')).toBe(1));
  expect(await changes()).toEqual([[1, 1200]]);
  const rows = await Promise.all(started.map(({ value }) => value('switchboard_backfill_rows_total')));
  expect(rows.reduce((sum: number, one) => sum + (one ?? 0), 0)).toBe(1200);
  await Promise.all(started.map(({ work }) => work.stop()));
});
