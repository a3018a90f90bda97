import { type Database, openDatabase } from '@switchboard/database';
import { createLogger, createMetrics, createRetention } from '@switchboard/runtime';
import { testDatabase } from '@switchboard/testkit';
import { applyChanges, createStateStore, unseenPeople } from '@switchboard/user-state';
import { describe, expect, it, onTestFinished } from 'vitest';
import { flagsMigrations } from '../schema/migrations.ts';

async function open(): Promise<Database> {
  const test = await testDatabase({ migrations: [flagsMigrations] });
  const database = openDatabase({ url: test.url, applicationName: 'test' });
  onTestFinished(async () => {
    await database.close();
    await test.drop();
  });
  return database;
}

const at = (day: string) => Date.parse(`${day}T12:00:00Z`);
const call = (distinctId: string, day: string, more: object = {}) => ({
  kind: 'identify' as const,
  projectId: 'shop',
  distinctId,
  traits: {},
  stamp: [at(day), at(day), 1] as const,
  ...more,
});
const joins = (distinctId: string, day: string, groupId: string) => ({
  ...call(distinctId, day),
  kind: 'group' as const,
  type: 'company',
  groupId,
  traits: { name: groupId },
});

const seen = async ({ sql }: Database, table = 'people') =>
  Object.fromEntries(
    (
      await sql`select ${sql(table === 'people' ? 'distinct_id' : 'id')} as id, seen_on from ${sql(table)}`
    ).map((row) => [row['id'], row['seen_on']]),
  );

describe('people', () => {
  it('dates a person by their latest call, whatever its order and even if it changes nothing', async () => {
    const database = await open();
    // Creates old rows, because a row that a call creates counts as seen when it is created.
    await database.sql`
      insert into people (project_id, distinct_id, seen_on)
      select 'shop', id, '2001-01-01' from unnest(array['ada', 'grace', 'mei', 'quiet']) as id`;
    await database.sql`insert into groups (project_id, type, id, seen_on) values ('shop', 'company', 'acme', '2001-01-01')`;
    const store = createStateStore(database);
    await applyChanges(store, [
      call('ada', '2026-03-02', { traits: { plan: 'pro' } }),
      call('grace', '2026-03-01'),
    ]);
    await applyChanges(store, [call('ada', '2026-03-01', { traits: { plan: 'free' } })]);
    await applyChanges(store, [joins('mei', '2026-03-05', 'acme')]);
    expect(await seen(database)).toEqual({
      ada: '2026-03-02',
      grace: '2026-03-01',
      mei: '2026-03-05',
      quiet: '2001-01-01',
    });
    expect(await seen(database, 'groups')).toEqual({ acme: '2026-03-05' });
  });

  it('forgets people and groups without a call for the retention, and keeps those of unknown age', async () => {
    const database = await open();
    await database.sql`
      insert into people (project_id, distinct_id, seen_on) select 'shop', 'p' || i, date '2026-01-31' - i % 3
      from generate_series(1, 3300) as i`;
    await database.sql`
      insert into people (project_id, distinct_id, seen_on)
      values ('shop', 'kept', '2026-02-01'), ('shop', 'unknown', null)`;
    await database.sql`
      insert into groups (project_id, type, id, seen_on)
      values ('shop', 'company', 'old', '2026-01-31'), ('shop', 'company', 'new', '2026-02-01')`;
    const run = (day: string, days?: number) =>
      createRetention({
        database,
        data: unseenPeople(database, days),
        clock: { now: () => new Date(at(day)) },
        logger: createLogger({ service: 'test', level: 'silent' }),
        metrics: createMetrics('test'),
      }).run();
    await run('2036-03-03');
    expect(Object.keys(await seen(database))).toHaveLength(3302);
    await run('2026-03-03', 30);
    expect(await seen(database)).toEqual({ kept: '2026-02-01', unknown: null });
    expect(await seen(database, 'groups')).toEqual({ new: '2026-02-01' });
  });
});
