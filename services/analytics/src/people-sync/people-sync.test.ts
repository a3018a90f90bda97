import { ingestionTopics, PEOPLE_TOPIC, personKey } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { openPostgresLog } from '@switchboard/event-log';
import { createPersonIdsConsumer } from '@switchboard/person-ids';
import { createBackfills, createLogger, createMetrics } from '@switchboard/runtime';
import { clickHouseDatabase, eventually, testDatabase } from '@switchboard/testkit';
import { createStateStore, createUserStateConsumer } from '@switchboard/user-state';
import { sql } from 'drizzle-orm';
import { expect, it as test } from 'vitest';
import { openClickHouse } from '../clickhouse/client.ts';
import { expiringPeople } from '../clickhouse/expiring.ts';
import { migrateClickHouse } from '../clickhouse/migrations.ts';
import {
  type ClickhousePeopleStore,
  createClickhousePeopleStore,
  GROUPS,
  PEOPLE,
} from '../clickhouse/people-store.ts';
import { createClickhouseStore } from '../clickhouse/store.ts';
import { createClickHouseEngine } from '../engine/clickhouse.ts';
import { createErasure } from '../people/erasure.ts';
import { createTablePeople } from '../people/sources.ts';
import { saveChanges } from '../persons/store.ts';
import { analyticsMigrations } from '../schema/migrations.ts';
import { CLICKHOUSE_PEOPLE_GROUP, createPeopleSyncConsumer } from './consumer.ts';
import { createFillState, peopleFills } from './fill.ts';
import { createPeopleSync } from './people-sync.ts';
import { createPeopleSyncStore } from './store.ts';

const TOPICS_OF: Record<string, string[]> = {
  'analytics.people': [ingestionTopics.identifies, ingestionTopics.groups],
  'analytics.person-ids': [PEOPLE_TOPIC],
};
const MINUTE_MS = 60_000;
/** Later than now, the latest time at which a new person can be seen. */
const START = Date.parse('2126-03-01T10:00:00Z');
const { signal } = new AbortController();
const logger = createLogger({ service: 'analytics', level: 'fatal' });

/** Opens PostgreSQL, ClickHouse and a log with the topics of calls. */
async function openSync() {
  const stops: (() => unknown)[] = [];
  const clickHouse = await clickHouseDatabase();
  if (clickHouse === undefined) return undefined;
  const client = openClickHouse(clickHouse.url);
  await migrateClickHouse(client);
  const own = await testDatabase({ migrations: [analyticsMigrations] });
  const database = openDatabase({ url: own.url, applicationName: 'test' });
  const db = database.drizzle;
  const log = openPostgresLog({ url: own.url });
  const topics = [ingestionTopics.identifies, ingestionTopics.groups, PEOPLE_TOPIC];
  await log.createTopics(
    topics.map((name) => ({ name, partitions: 2, replication: 1, cleanup: 'delete' as const })),
  );
  const store = createClickhousePeopleStore(client);
  const syncStore = createPeopleSyncStore(db);
  let calls = 0;

  /** Publishes calls about Ada, one minute apart. */
  async function publish(name: string, ...changes: object[]) {
    const records = changes.map((change) => {
      const at = new Date(START + calls++ * MINUTE_MS).toISOString();
      const call = { project_id: 'shop', distinct_id: 'ada', timestamp: at, received_at: at, ...change };
      return { partition: 0, key: 'ada', value: Buffer.from(JSON.stringify(call)), headers: {} };
    });
    await log.publish(name, records);
  }

  const behind = async (group: string) => {
    const lags = await log.lag(group, TOPICS_OF[group] ?? topics);
    return lags.length === 0 ? 1n : lags.reduce((sum, lag) => sum + lag.behind, 0n);
  };
  const settled = (group: string) => eventually(async () => expect(await behind(group)).toBe(0n));

  return {
    db,
    database,
    store,
    publish,
    behind,
    rows: async (table: 'people' | 'groups' | 'person_ids') =>
      (await clickHouse.query(`select * from ${table} final order by all`)).map(({ version, ...row }) => row),
    query: clickHouse.query,
    engine: createClickHouseEngine({ client, threads: 1, memoryBytes: 300_000_000, timeoutMs: 20_000 }),
    erasure: createErasure(db, { events: createClickhouseStore(client), people: store }),
    /** Joins an id of the shop to a person, or parts it, in PostgreSQL and on the log. */
    async join(distinctId: string, personId: string | null) {
      const record = { projectId: 'shop', distinctId, personId, joinedAt: '2026-03-01T00:00:00.000Z' };
      const value =
        personId === null ? null : Buffer.from(JSON.stringify({ ...record, by: { kind: 'identify' } }));
      const key = personKey('shop', distinctId);
      await log.publish(PEOPLE_TOPIC, [{ partition: 0, key, value, headers: {} }]);
      await settled('analytics.person-ids');
    },
    /** Applies joins to PostgreSQL. */
    applyJoins() {
      const consumer = createPersonIdsConsumer({
        group: 'analytics.person-ids',
        database,
        log,
        logger,
        applied: saveChanges,
      });
      stops.unshift(() => consumer.stop());
      consumer.start();
    },
    /** Applies calls to PostgreSQL. */
    apply() {
      const consumer = createUserStateConsumer({
        group: 'analytics.people',
        store: createStateStore(database),
        log,
        logger,
        onRejected: () => undefined,
      });
      stops.unshift(() => consumer.stop());
      consumer.start();
      return settled('analytics.people');
    },
    /** Copies the applied calls to ClickHouse. */
    copy(changed: Partial<ClickhousePeopleStore> = {}) {
      const peopleSync = createPeopleSync({ store: syncStore, clickHouse: { ...store, ...changed } });
      const sync = createPeopleSyncConsumer({
        store: syncStore,
        peopleSync,
        log: { ...log, consume: (options) => log.consume({ ...options, retryMaxMs: 200 }) },
        logger,
      });
      stops.unshift(() => sync.stop());
      sync.start();
      return { stop: sync.stop, settled: () => settled(CLICKHOUSE_PEOPLE_GROUP) };
    },
    async fill() {
      const backfills = createBackfills({
        database,
        backfills: await peopleFills(store),
        rowsPerSecond: 100_000,
        logger,
        metrics: createMetrics('analytics'),
      });
      stops.unshift(() => backfills.stop());
      backfills.start();
    },
    async stop() {
      for (const stop of stops) await stop();
      await log.close();
      await database.close();
      await own.drop();
      await client.close();
      await clickHouse.drop();
    },
  };
}

type OpenSync = NonNullable<Awaited<ReturnType<typeof openSync>>>;

const it = test.extend<{ sync: OpenSync }>({
  sync: async ({ skip }, use) => {
    const sync = await openSync();
    if (sync === undefined) return skip();
    await use(sync);
    await sync.stop();
  },
});

const person = (traits: object, groups: object = {}, id = 'ada') => ({
  project_id: 'shop',
  distinct_id: id,
  traits: JSON.stringify(traits),
  groups: JSON.stringify(groups),
  seen_on: '2126-03-01',
});

it('copies people and groups as PostgreSQL has them', async ({ sync }) => {
  await sync.publish(
    ingestionTopics.identifies,
    { traits: { plan: 'pro', 'ключ "1"': [1, null] } },
    { traits: { plan: null, seats: 2 } },
    { distinct_id: '猫', traits: {} },
    { traits: 'not an object' },
  );
  await sync.publish(
    ingestionTopics.groups,
    { group_type: 'company', group_id: 'acme', traits: { size: 10 } },
    { group_type: 'team', group_id: 'red', traits: {} },
    { group_type: 'team', group_id: null, traits: {} },
  );
  await sync.apply();
  await sync.copy().settled();
  expect(await sync.rows('people')).toEqual([
    person({ 'ключ "1"': [1, null], seats: 2 }, { company: 'acme' }),
    person({}, {}, '猫'),
  ]);
  expect(await sync.rows('groups')).toEqual([
    { project_id: 'shop', type: 'company', id: 'acme', traits: '{"size":10}', seen_on: '2126-03-01' },
  ]);
});

it('copies the ids of a person, with the traits of all of them, and parts them again', async ({ sync }) => {
  await sync.publish(
    ingestionTopics.identifies,
    { distinct_id: 'phone', traits: { plan: 'free', device: 'phone' } },
    { traits: { plan: 'pro' } },
  );
  await sync.apply();
  const { settled } = sync.copy();
  sync.applyJoins();
  await sync.join('phone', 'ada');
  await settled();
  expect(await sync.rows('person_ids')).toEqual([
    { project_id: 'shop', distinct_id: 'phone', person_id: 'ada' },
  ]);
  const traits = async () =>
    (await sync.rows('people')).map(({ distinct_id, traits: own }) => [distinct_id, JSON.parse(String(own))]);
  expect(await traits()).toContainEqual(['ada', { plan: 'pro', device: 'phone' }]);
  await sync.publish(ingestionTopics.identifies, { distinct_id: 'phone', traits: { plan: 'team' } });
  await settled();
  expect(await traits()).toContainEqual(['ada', { plan: 'team', device: 'phone' }]);
  await sync.join('phone', null);
  await settled();
  expect(await sync.rows('person_ids')).toEqual([]);
  expect(await traits()).toEqual([
    ['ada', { plan: 'pro' }],
    ['phone', { plan: 'team', device: 'phone' }],
  ]);
});

it('fills a new ClickHouse with the ids of persons', async ({ sync }) => {
  sync.applyJoins();
  await sync.join('phone', 'ada');
  await sync.fill();
  await eventually(async () => {
    expect(await sync.rows('person_ids')).toHaveLength(1);
    expect(await sync.rows('people')).toMatchObject([{ distinct_id: 'ada', traits: '{}' }]);
  });
});

it('removes nothing for calls that only set the group of a person', async ({ sync }) => {
  await sync.publish(ingestionTopics.groups, { group_type: 'company', group_id: 'acme', traits: {} });
  await sync.apply();
  await sync.copy().settled();
  expect(await sync.rows('people')).toEqual([person({}, { company: 'acme' })]);
  const mutations = 'select command from system.mutations where database = currentDatabase()';
  expect(await sync.query(mutations)).toEqual([]);
});

it('copies a call once PostgreSQL has applied it', async ({ sync }) => {
  await sync.publish(ingestionTopics.identifies, { traits: { plan: 'pro' } });
  const { settled } = sync.copy();
  // It polls ten times in that time.
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect([await sync.rows('people'), await sync.behind(CLICKHOUSE_PEOPLE_GROUP)]).toEqual([[], 1n]);
  await sync.apply();
  await settled();
  expect(await sync.rows('people')).toEqual([person({ plan: 'pro' })]);
});

it('keeps the newer copy when an older one arrives late', async ({ sync }) => {
  const late = Promise.withResolvers<() => Promise<void>>();
  const { insert } = sync.store;
  await sync.publish(ingestionTopics.identifies, { traits: { plan: 'old' } });
  await sync.apply();
  const first = sync.copy({
    async insert(...copy) {
      late.resolve(() => insert(...copy));
      throw new Error('the answer of ClickHouse is lost');
    },
  });
  const arrive = await late.promise;
  await first.stop();
  await sync.publish(ingestionTopics.identifies, { traits: { plan: 'new' } });
  await sync.copy().settled();
  await arrive();
  expect(await sync.rows('people')).toEqual([person({ plan: 'new' })]);
});

it('leaves nothing of a person who is erased while being copied', async ({ sync }) => {
  const ada = { kind: 'person' as const, projectId: 'shop', distinctIds: ['ada'], userId: null };
  await sync.publish(ingestionTopics.identifies, { traits: {} }, { distinct_id: 'grace', traits: {} });
  await sync.apply();
  await sync
    .copy({
      async insert(...copy) {
        await sync.erasure.erasePerson?.(ada, signal);
        await sync.store.insert(...copy);
      },
    })
    .settled();
  expect(await sync.query('select distinct_id from people')).toEqual([{ distinct_id: 'grace' }]);
});

it('leaves nothing of an erased person when the process dies before it checks for erasures', async ({
  sync,
}) => {
  const ada = { kind: 'person' as const, projectId: 'shop', distinctIds: ['ada'], userId: null };
  const died = Promise.withResolvers<void>();
  await sync.publish(ingestionTopics.identifies, { traits: {} }, { distinct_id: 'grace', traits: {} });
  await sync.apply();
  const first = sync.copy({
    async insert(...copy) {
      await sync.erasure.erasePerson?.(ada, signal);
      await sync.store.insert(...copy);
      died.resolve();
      throw new Error('killed');
    },
  });
  await died.promise;
  await first.stop();
  await sync.copy().settled();
  expect(await sync.query('select distinct_id from people')).toEqual([{ distinct_id: 'grace' }]);
});

it('leaves nothing of an erased person when the clock of PostgreSQL was ahead', async ({ sync }) => {
  const ada = { kind: 'person' as const, projectId: 'shop', distinctIds: ['ada'], userId: null };
  const inAnHour = String((Date.now() + 60 * MINUTE_MS) * 1000);
  await sync.store.insert(PEOPLE, 'ahead', [{ ...person({}), version: inAnHour }], signal);
  await sync.erasure.erasePerson?.(ada, signal);
  expect(await sync.query('select distinct_id from people')).toEqual([]);
});

it('fills a new ClickHouse with everyone, and removes people who no longer exist', async ({ sync }) => {
  await sync.db.execute(sql`
    insert into people (project_id, distinct_id, traits, seen_on)
    select 'shop', 'person ' || n, json_build_object('n', n), '2026-03-01' from generate_series(1, 1200) as n`);
  await sync.db.execute(sql`
    insert into groups (project_id, type, id) values ('shop', 'company', 'acme'), ('blog', 'company', 'acme')`);
  const gone = { ...person({}, {}, 'gone'), version: '1' };
  await sync.store.insert(PEOPLE, 'of before', [gone], signal);
  const source = createTablePeople({
    engine: sync.engine,
    isFilled: createFillState(createPeopleSyncStore(sync.db)),
  });
  await expect(source.version('shop', signal)).rejects.toMatchObject({
    status: 503,
    headers: { 'Retry-After': '30' },
  });
  await sync.fill();
  await eventually(async () => {
    expect(await source.version('shop', signal)).toMatch(/ of 1200, /);
    const count = `select count() as rows, countIf(distinct_id = 'gone') as gone,
      sum(JSONExtractInt(traits, 'n')) as sum from people`;
    expect((await sync.query(count)).map(({ rows, gone, sum }) => [rows, gone, sum].map(Number))).toEqual([
      [1200, 0, 720_600],
    ]);
    expect(await sync.rows('groups')).toHaveLength(2);
  });

  await sync.query('create table empty as people');
  await sync.query('drop table people sync');
  await sync.query('rename table empty to people');
  await expect(source.version('shop', signal)).rejects.toMatchObject({ status: 503 });
});

it('keeps a person who comes back while an old copy is being removed', async ({ sync }) => {
  const ada = ['shop', 'ada'];
  await sync.store.insert(PEOPLE, 'of before', [{ ...person({ plan: 'old' }), version: '1' }], signal);
  const store = createPeopleSyncStore(sync.db);
  const peopleSync = createPeopleSync({
    store,
    clickHouse: {
      ...sync.store,
      async remove(...removal) {
        await sync.db.execute(sql`
          insert into people (project_id, distinct_id, traits, seen_on)
          values ('shop', 'ada', '{"plan":"new"}', '2126-03-01')`);
        const others = createPeopleSync({ store, clickHouse: sync.store });
        await others.copy(PEOPLE, 'back', [ada], signal);
        await sync.store.remove(...removal);
      },
    },
  });
  await peopleSync.pruneAfter({ table: PEOPLE, after: undefined, limit: 10, signal });
  expect(await sync.query('select traits from people')).toEqual([{ traits: '{"plan":"new"}' }]);
});

it('inserts many large people a few megabytes at a time, and small ones together', async ({ sync }) => {
  await sync.db.execute(sql`
    insert into people (project_id, distinct_id, traits)
    select project_id, 'person ' || n, json_build_object('text', repeat('x', bytes))
    from (values ('large', 30000), ('small', 30)) as project(project_id, bytes), generate_series(1, 450) as n`);
  const inserts: { rows: number; bytes: number }[] = [];
  const peopleSync = createPeopleSync({
    store: createPeopleSyncStore(sync.db),
    clickHouse: {
      ...sync.store,
      insert(table, token, rows, ...others) {
        inserts.push({ rows: rows.length, bytes: JSON.stringify(rows).length });
        return sync.store.insert(table, token, rows, ...others);
      },
    },
  });
  const keysOf = (project: string) => Array.from({ length: 450 }, (_, n) => [project, `person ${n + 1}`]);
  async function copied(copy: () => Promise<unknown>) {
    inserts.length = 0;
    await sync.query('truncate table people');
    await copy();
    expect(await sync.rows('people')).toHaveLength(450);
    return { inserts: inserts.length, largest: Math.max(...inserts.map(({ bytes }) => bytes)) };
  }
  const ways = [
    (project: string) => peopleSync.copy(PEOPLE, project, keysOf(project), signal),
    (project: string) =>
      peopleSync.copyAfter({
        table: PEOPLE,
        after: project === 'large' ? undefined : ['large', 'person 99'],
        limit: 450,
        signal,
      }),
  ];
  for (const copy of ways) {
    const large = await copied(() => copy('large'));
    expect(large.inserts).toBe(5);
    expect(large.largest).toBeLessThan(4_000_000);
    expect((await copied(() => copy('small'))).inserts).toBe(1);
  }
});

it('expires people and groups as PostgreSQL does', async ({ sync }) => {
  const rows = ['2026-02-27', '2026-02-28', '2026-03-01'].map((day) => ({
    ...person({}, {}, day),
    seen_on: day,
    version: '1',
  }));
  await sync.store.insert(PEOPLE, 'three', rows, signal);
  const [people, groups] = expiringPeople(sync.store, 30);
  const time = new Date('2026-03-01T15:00:00Z');
  expect(await people?.oldest()).toEqual(new Date('2026-02-27'));
  expect([await people?.removeBefore(time), await people?.removeBefore(time)]).toEqual([
    { rows: 2 },
    { rows: 0 },
  ]);
  expect(await sync.rows('people')).toMatchObject([{ distinct_id: '2026-03-01' }]);
  expect([await groups?.oldest(), await groups?.removeBefore(time)]).toEqual([undefined, { rows: 0 }]);
});

it('finds and removes keys of any text', async ({ sync }) => {
  const ids = ["it's", '"', '\\', '{p: String}', 'a\nb', '猫', '%s', '\t'];
  const rows = ids.map((id) => ({
    project_id: 'shop',
    type: id,
    id,
    traits: '{}',
    seen_on: '2026-03-01',
    version: '1',
  }));
  await sync.store.insert(GROUPS, 'odd', rows, signal);
  const first = await sync.store.keysAfter(GROUPS, undefined, 3, signal);
  const others = await sync.store.keysAfter(GROUPS, first.at(-1), 100, signal);
  const keys = [...first, ...others];
  expect(keys.toSorted()).toEqual(ids.map((id) => ['shop', id, id]).toSorted());
  await sync.store.remove(GROUPS, keys.slice(1), { signal });
  expect(await sync.store.keysAfter(GROUPS, undefined, 100, signal)).toEqual(keys.slice(0, 1));
});
