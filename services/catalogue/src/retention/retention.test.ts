import { type Database, openDatabase } from '@switchboard/database';
import { createLogger, createMetrics, createRetention } from '@switchboard/runtime';
import { testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuditStore } from '../audit/store.ts';
import { createErasuresStore } from '../erasures/store.ts';
import { catalogueMigrations } from '../schema/migrations.ts';
import { expiringData } from './retention.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const test = await testDatabase({ migrations: [catalogueMigrations] });
  drop = test.drop;
  database = openDatabase({ url: test.url, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await drop();
});

const run = () =>
  createRetention({
    database,
    data: expiringData({
      audit: createAuditStore(database.drizzle),
      erasures: createErasuresStore(database.drizzle),
      days: 40,
    }),
    clock: { now: () => new Date() },
    logger: createLogger({ service: 'test', level: 'silent' }),
    metrics: createMetrics('test'),
  }).run();

it('removes audit entries that are older than the retention', async () => {
  await database.sql`
    insert into audit_entries (id, at, action, object, outcome, entry)
    select 'old_' || days, now() - days * interval '1 day', 'kept', 'thing:1', 'allowed', '{}'
    from unnest(array[39, 41, 500]) as days`;
  await run();
  const rows = await database.sql`select id from audit_entries`;
  expect(rows.map(({ id }) => id)).toEqual(['old_39']);
});

it('removes erasures that are done and older than the retention, with their parts', async () => {
  await database.sql`
    insert into erasures (id, subject, kind, project_id, created_at)
    select kind || days, case kind when 'open' then '{}' end, 'person', 'shop', now() - days * interval '1 day'
    from unnest(array['open', 'done']) as kind, unnest(array[39, 41]) as days`;
  await database.sql`
    insert into erasures (id, kind, created_at)
    select 'many' || i, 'colleague', now() - interval '100 days' from generate_series(1, 1200) as i`;
  await database.sql`
    insert into erasure_parts (erasure_id, region, service, done_at)
    select id, 'eu', service, now() from erasures, unnest(array['flags', 'archive']) as service`;
  await run();
  const kept = await database.sql`select id from erasures order by 1`;
  expect(kept.map(({ id }) => id)).toEqual(['done39', 'open39', 'open41']);
  const parts = await database.sql`select distinct erasure_id as id from erasure_parts order by 1`;
  expect(parts.map(({ id }) => id)).toEqual(['done39', 'open39', 'open41']);
});
