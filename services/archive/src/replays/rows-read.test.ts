import { openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { archiveMigrations } from '../schema/migrations.ts';
import { rowsRead } from '../testing/rows-read.ts';
import { createReplaysStore } from './store.ts';

const test = await testDatabase({ migrations: [archiveMigrations] });
const database = openDatabase({ url: test.url, applicationName: 'test', statementTimeoutMs: 60_000 });

beforeAll(async () => {
  await database.drizzle.execute(sql`
    insert into replays (project_id, session_id, received_at, first_at, last_at, pages)
    select 'shop', i, to_timestamp(i), to_timestamp(i), to_timestamp(i),
      case when i = 1 then array['https://shop.example/rare'] else '{}' end
    from generate_series(1, 12000) as i`);
  await database.drizzle.execute(sql`analyze`);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

it('reads at most 5,000 recordings for a page of a rare filter, and continues after them', async () => {
  const filters = { page: '/rare' };
  const read = await rowsRead(database, async (db) => {
    const first = await createReplaysStore(db).listReplays('shop', { filters, limit: 51 });
    expect(first).toEqual({ rows: [], readUntil: { sessionId: '7001', receivedAt: new Date(7_001_000) } });
  });
  expect(read).toBeLessThanOrEqual(40_000);
  const store = createReplaysStore(database.drizzle);
  const second = await store.listReplays('shop', {
    filters,
    limit: 51,
    after: { sessionId: '7001', receivedAt: new Date(7_001_000) },
  });
  expect(second.readUntil?.sessionId).toBe('2001');
  const third = await store.listReplays('shop', { filters, limit: 51, after: second.readUntil });
  expect(third.rows.map(({ sessionId }) => sessionId)).toEqual(['1']);
  expect(third.readUntil).toBeUndefined();
});

it('reads only the recordings of a page without a filter', async () => {
  const read = await rowsRead(database, (db) => createReplaysStore(db).listReplays('shop', { limit: 51 }));
  expect(read).toBeLessThanOrEqual(204);
});
