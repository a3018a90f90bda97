import { openDatabase } from '@switchboard/database';
import { createLogger, createMetrics, createRetention } from '@switchboard/runtime';
import { clickHouseDatabase, eventually, testDatabase } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { startAnalytics } from '../testing/service.ts';
import { openClickHouse } from './client.ts';
import { expiringEvents } from './expiring.ts';
import { migrateClickHouse } from './migrations.ts';
import { createClickhouseStore, type EventsRow } from './store.ts';

const DAY_MS = 86_400_000;
const clickHouse = await clickHouseDatabase();

const row = (id: string, receivedAt: string | number, more: Partial<EventsRow> = {}): EventsRow => ({
  project_id: 'shop',
  event_id: id,
  event_name: 'seen',
  distinct_id: 'ada',
  session_id: null,
  schema_version: 1,
  // Times that clients claim do not count.
  occurred_at: 0,
  received_at: new Date(receivedAt).getTime(),
  sent_at: null,
  timestamp: '1970-01-01T00:00:00Z',
  properties: null,
  context: null,
  bot: false,
  log_partition: 0,
  log_offset: '0',
  log_line: 0,
  ...more,
});

/** Creates the tables in a separate database, with these events. */
async function tableOf(rows: readonly EventsRow[]) {
  const own = await clickHouseDatabase();
  if (own === undefined) throw new Error('ClickHouse is not installed');
  onTestFinished(() => own.drop());
  const client = openClickHouse(own.url);
  onTestFinished(() => client.close());
  await migrateClickHouse(client);
  const store = createClickhouseStore(client);
  const { signal } = new AbortController();
  for (const one of rows) await store.insertEvents(one.event_id, [one], signal);
  const ids = async () =>
    (await own.query('select event_id from events order by event_id')).map(({ event_id }) => event_id);
  return { ...own, store, ids };
}

it.skipIf(clickHouse === undefined)(
  'removes events, also from disk, the day after their retention in the archive ends, to the millisecond',
  async () => {
    const database = await testDatabase();
    onTestFinished(() => database.drop());
    const postgres = openDatabase({ url: database.url, applicationName: 'test' });
    onTestFinished(() => postgres.close());
    const { store, ids, query } = await tableOf([
      row('a', '2025-12-31T23:59:59.999Z'),
      row('b', '2026-02-28T23:59:59.999Z'),
      row('c', '2026-03-01T00:00:00.000Z'),
      row('d', '2026-03-01T23:59:59.999Z'),
      row('e', '2026-03-02T00:00:00.000Z'),
      row('f', '2026-05-01T00:00:00.000Z'),
    ]);
    const metrics = createMetrics('analytics');
    let now = '';
    const retention = createRetention({
      database: postgres,
      data: expiringEvents(store, 30),
      clock: { now: () => new Date(now) },
      logger: createLogger({ service: 'analytics', level: 'silent' }),
      metrics,
    });
    const runAt = async (time: string) => {
      now = time;
      await retention.run();
      return await ids();
    };
    expect(await runAt('2026-03-30T23:59:59Z')).toEqual(['b', 'c', 'd', 'e', 'f']);
    expect(await store.oldest()).toEqual(new Date('2026-02-28T23:59:59.999Z'));
    expect(await runAt('2026-03-31T23:59:59Z')).toEqual(['c', 'd', 'e', 'f']);
    expect(await runAt('2026-04-01T00:00:00Z')).toEqual(['e', 'f']);
    await eventually(async () => {
      const parts =
        await query(`select toString(sum(rows)) as rows, toString(sum(has_lightweight_delete)) as hidden
        from system.parts where active and database = currentDatabase() and table = 'events'`);
      expect(parts).toEqual([{ rows: '2', hidden: '0' }]);
    });
    expect(await store.oldest()).toEqual(new Date('2026-03-02T00:00:00.000Z'));
    expect(await runAt('2027-01-01T00:00:00Z')).toEqual([]);
    expect(await store.oldest()).toBeUndefined();
    const text = await metrics.registry.metrics();
    expect(text).toContain(
      'switchboard_retention_removed_total{kind="events in ClickHouse",what="rows",service="analytics"} 6',
    );
  },
);

it.skipIf(clickHouse === undefined)('erases a person with expired events, and no other person', async () => {
  const { store, ids } = await tableOf([
    row('a', '2026-03-01T00:00:00.000Z'),
    row('b', '2026-03-02T00:00:00.000Z'),
    row('c', '2026-03-02T00:00:00.000Z', { distinct_id: 'grace' }),
  ]);
  const { signal } = new AbortController();
  expect(await store.expire(new Date('2026-03-02'))).toBe(1);
  await store.erase('shop', ['ada'], signal);
  expect(await ids()).toEqual(['c']);
  expect(await store.expire(new Date('2026-03-02'))).toBe(0);
});

it.skipIf(clickHouse === undefined)(
  'removes data older than ARCHIVE_RETENTION_DAYS from ClickHouse',
  async () => {
    const { url, ids } = await tableOf([
      row('old', Date.now() - 31 * DAY_MS),
      row('young', Date.now() - 29 * DAY_MS),
    ]);
    const analytics = await startAnalytics({ CLICKHOUSE_URL: url, ARCHIVE_RETENTION_DAYS: '30' });
    onTestFinished(() => analytics.stop());
    await eventually(async () => expect(await ids()).toEqual(['young']));
  },
);
