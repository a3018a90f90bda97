import { openDatabase } from '@switchboard/database';
import { DIRECTORY_TOMBSTONE_RETENTION_MS, DIRECTORY_TOPIC, directoryRecord } from '@switchboard/directory';
import { openPostgresLog } from '@switchboard/event-log';
import { documented, eventually, type PostgresServer, postgresServer } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  acme,
  ada,
  type Instance,
  pro,
  shop,
  type TestCatalogue,
  testCatalogue,
} from '../testing/harness.ts';
import { createOutbox } from './outbox.ts';

let logServer: PostgresServer;
let catalogue: TestCatalogue;
let one: Instance;
beforeAll(async () => {
  logServer = await postgresServer(['log']);
  catalogue = await testCatalogue({ logUrl: logServer.url('log') });
  one = await catalogue.instance();
  await one.put('/plans/pro/monthly', pro);
  await one.put('/companies/acme', acme);
});
afterAll(async () => {
  await catalogue.close();
  await logServer.remove();
});

async function waiting(): Promise<number> {
  const sql = await catalogue.sql();
  const [row] = await sql`select count(*)::int as count from outbox`;
  return row?.['count'];
}
const allPublished = () => eventually(async () => expect(await waiting()).toBe(0), { withinMs: 25_000 });

async function lagSeconds(): Promise<number> {
  const metric = await one.metrics.registry.getSingleMetric('switchboard_outbox_lag_seconds')?.get();
  return metric?.values[0]?.value ?? Number.NaN;
}

describe('the outbox', () => {
  it('accepts changes while the event log is down, and publishes them once it is back', async () => {
    await allPublished();
    await logServer.stop();
    for (let i = 0; i < 5; i++) {
      expect((await one.put('/companies/acme/members/ada', { ...ada, name: `Ada ${i}` })).status).toBe(200);
    }
    expect((await one.put('/companies/acme/members/bob', ada)).status).toBe(200);
    expect((await one.remove('/companies/acme/members/bob')).status).toBe(204);
    expect(await waiting()).toBe(7);
    expect(await lagSeconds()).toBeGreaterThan(0);
    await logServer.start();
    await allPublished();
    const state = await catalogue.published();
    expect(state.get('member:acme/ada')).toMatchObject({ name: 'Ada 4' });
    expect(state.get('member:acme/bob')).toBeNull();
    expect(await lagSeconds()).toBe(0);
  });

  it('accepts the removal of a large company while the event log is down', async () => {
    await allPublished();
    const sql = await catalogue.sql();
    await one.put('/companies/large', acme);
    await sql`
      insert into members (company_id, sub, name, email, push_subscriptions)
      select 'large', 'sub-' || n, 'Ada', 'ada@example.com', '[]' from generate_series(1, 1200) as n`;
    await logServer.stop();
    expect((await one.remove('/companies/large')).status).toBe(204);
    expect((await one.manage('GET', '/companies/large')).status).toBe(404);
    // 1,200 members, the company and its erasure.
    expect(await waiting()).toBe(1_202);
    await logServer.start();
    await allPublished();
    const state = await catalogue.published();
    expect(state.get('company:large')).toBeNull();
    for (let n = 1; n <= 1_200; n++) expect(state.get(`member:large/sub-${n}`)).toBeNull();
  });

  it('answers a change after the log has stored it', async () => {
    await allPublished();
    const log = openPostgresLog({ url: catalogue.logUrl });
    const records = async () => (await log.endOffsets(DIRECTORY_TOPIC)).reduce((sum, end) => sum + end, 0n);
    const before = await records();
    for (let i = 1n; i <= 20n; i++) {
      expect((await one.put('/companies/acme/members/ada', { ...ada, name: `Ada ${i}` })).status).toBe(200);
      expect(await records()).toBe(before + i);
    }
    await log.close();
  });

  it('publishes the last of many changes that several instances make at once', async () => {
    const other = await catalogue.instance();
    const names = Array.from({ length: 60 }, (_, index) => `Ada ${index}`);
    await Promise.all(
      names.map((name, index) =>
        (index % 2 ? one : other).put('/companies/acme/members/ada', { ...ada, name }),
      ),
    );
    const stored = (await one.manage('GET', '/companies/acme/members/ada')).body;
    await allPublished();
    expect((await catalogue.published()).get('member:acme/ada')).toMatchObject({ name: stored.name });
  });

  it('rejects a topic that does not keep tombstones for as long as replicas rely on them', async () => {
    await allPublished();
    const log = openPostgresLog({ url: catalogue.logUrl });
    const kept = (tombstoneRetentionMs: number) =>
      log.createTopics([
        { name: DIRECTORY_TOPIC, partitions: 4, replication: 1, cleanup: 'compact', tombstoneRetentionMs },
      ]);
    await kept(DIRECTORY_TOMBSTONE_RETENTION_MS);
    await expect(kept(DIRECTORY_TOMBSTONE_RETENTION_MS + 1)).rejects.toThrow('tombstone');
    await log.close();
  });

  it('discards the records of a change that fails', async () => {
    await allPublished();
    const database = openDatabase({ url: catalogue.databaseUrl, applicationName: 'test' });
    const change = createOutbox(database.drizzle).change(database.drizzle, async (_tx, announce) => {
      announce([directoryRecord('report', { projectId: 'shop', id: 'lost', name: 'Lost' })]);
      throw new Error('no');
    });
    await expect(change).rejects.toThrow('no');
    await database.close();
    expect(await waiting()).toBe(0);
    expect((await catalogue.published()).has('report:shop/lost')).toBe(false);
  });

  it('publishes the outbox of an instance that was killed', async () => {
    const sql = await catalogue.sql();
    const record = directoryRecord('report', { projectId: 'shop', id: 'left', name: 'Left behind' });
    // No notification, as when an instance is killed after its commit.
    await sql`insert into outbox (key, value) values (${record.key}, ${record.value})`;
    await allPublished();
    expect((await catalogue.published()).get(record.key)).toMatchObject({ name: 'Left behind' });
  });

  it('publishes every entry again, once, to a topic that was lost', async () => {
    // Removes the erasures of projects that other tests deleted.
    await (await catalogue.sql())`truncate erasures cascade`;
    await one.put('/projects/shop', shop);
    const { key } = (await one.manage('POST', '/projects/shop/keys')).body;
    await one.put('/projects/shop/reports/a%2Fb', { name: 'Weekly' });
    await one.put('/companies/acme/members/eve', ada);
    await one.remove('/companies/acme/members/eve');
    await allPublished();
    const database = openDatabase({ url: catalogue.logUrl, applicationName: 'test' });
    await database.sql.unsafe(documented('docs/backup-and-upgrade.md#restoring-catalogue', 'sql'));
    // The running instance notices at its next change.
    await one.put('/companies/acme/members/ada', { ...ada, name: 'Ada at last' });
    await allPublished();
    const state = await eventually(
      async () => {
        const all = [...(await catalogue.published())];
        // Ignores the erasure of a company that another test deleted.
        const published = new Map(all.filter(([key]) => !key.startsWith('erasure:')));
        expect(published.size).toBe(6);
        return published;
      },
      { withinMs: 25_000 },
    );
    expect([...state.keys()].sort()).toEqual([
      'company:acme',
      `key:${key}`,
      'member:acme/ada',
      'plan:pro/monthly',
      'project:shop',
      'report:shop/a%2Fb',
    ]);
    expect(state.get('plan:pro/monthly')).toEqual({
      tier: 'pro',
      cycle: 'monthly',
      entitlements: pro.entitlements,
    });
    expect(state.get('company:acme')).toMatchObject({ name: 'Acme', plan: { tier: 'pro' } });
    expect(state.get('member:acme/ada')).toMatchObject({ name: 'Ada at last', pushSubscriptions: [] });
    expect(state.get('project:shop')).toMatchObject({ companyId: 'acme', region: 'eu' });
    const records = await database.sql`select key from event_log.records where topic = 'directory'`;
    expect(records).toHaveLength(6);
    await database.close();
  });
});
