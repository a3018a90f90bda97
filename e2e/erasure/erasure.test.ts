import { join } from 'node:path';
import { runInProcess } from '@switchboard/cli/testing';
import { brokerUsers } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually, freePort, startKafka } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OBJECTS } from '../retention/bounds.ts';
import { addColleague, addEvents, addMembers, addPerson, addProjectData, addRun } from './data.ts';
import { ALL_SERVICES, type AllServices, COMPANY, deployAll, PROJECT } from './deployment.ts';
import {
  CLICKHOUSE_HOLDINGS,
  HOLDINGS,
  KEPT_OF_DELETED,
  LIBRARY_SCHEMAS,
  SELDOM_OF_PROJECT,
} from './holdings.ts';
import {
  clickHouseTables,
  clickHouseTablesWith,
  objectsIn,
  objectsWith,
  rowsWith,
  tablesOf,
  tablesOfProjects,
} from './scan.ts';

const PASSWORD = 'correct-horse';
const port = await freePort();
const restrictedUsers = brokerUsers().map(([user]) => user);
const kafka = await startKafka({ port, username: 'admin', password: PASSWORD, restrictedUsers });
const brokers = [`127.0.0.1:${port}`];
afterAll(() => kafka?.stop());

async function applyAcls(): Promise<void> {
  const env = { KAFKA_BROKERS: brokers.join(), KAFKA_USERNAME: 'admin', KAFKA_PASSWORD: PASSWORD };
  expect(await runInProcess(['acls', 'apply'], env)).toMatchObject({ code: 0 });
}

describe.for(['PostgreSQL', 'Kafka'])('erasure with the event log on %s', (kind) => {
  describe.skipIf(kind === 'Kafka' && kafka === undefined)('', () => {
    let all: AllServices;
    beforeAll(async () => {
      if (kind === 'Kafka') await applyAcls();
      all = await deployAll(kind === 'Kafka' ? { brokers, password: PASSWORD } : undefined);
    });
    afterAll(() => all?.harness.stop(), 60_000);

    const objects = () => join(all.harness.folder, 'objects');

    /** Returns the tables of each service and the objects that contain the text. */
    async function placesOf(text: string): Promise<Record<string, string[]>> {
      const places: Record<string, string[]> = {};
      for (const service of ALL_SERVICES)
        places[service] = Object.keys(await rowsWith(await all.harness.databaseUrl(service), text)).filter(
          (table) => table !== 'audit.outbox', // Its rows are in transit to catalogue.
        );
      if (all.clickHouse !== undefined)
        places['clickhouse'] = await clickHouseTablesWith(all.clickHouse, text);
      return { ...places, objects: await objectsWith(objects(), text) };
    }

    const stores = () => [...ALL_SERVICES, ...(all.clickHouse === undefined ? [] : ['clickhouse'])];
    const nowhere = () => ({ ...Object.fromEntries(stores().map((store) => [store, []])), objects: [] });
    const holdingsOf = (store: string) =>
      (store === 'clickhouse' ? CLICKHOUSE_HOLDINGS : HOLDINGS[store]) ?? {};

    /** Returns the tables that hold data of this kind of person, by service. */
    const tablesHolding = (whose: 'person' | 'colleague') =>
      Object.fromEntries(
        stores().map((store) => [
          store,
          Object.entries(holdingsOf(store))
            .filter(([, holding]) => whose in holding)
            .map(([table]) => table)
            .sort(),
        ]),
      );

    async function erase(...args: string[]) {
      const urls = ALL_SERVICES.map((name) => [
        `SWITCHBOARD_${name.toUpperCase()}_URL`,
        all.harness.url(name),
      ]);
      const env = { ...Object.fromEntries(urls), SWITCHBOARD_TOKEN: all.operator };
      return runInProcess(['erase', ...args, '--timeout', '110'], env);
    }

    async function query(service: string, sql: string) {
      const database = openDatabase({ url: await all.harness.databaseUrl(service), applicationName: 'test' });
      try {
        return [...(await database.sql.unsafe(sql))];
      } finally {
        await database.close();
      }
    }

    test('every table of every service declares what it holds of people and colleagues', async () => {
      for (const service of ALL_SERVICES) {
        const tables = await tablesOf(await all.harness.databaseUrl(service));
        const own = tables.filter((name) => !LIBRARY_SCHEMAS.some((schema) => name.startsWith(`${schema}.`)));
        expect(own, service).toEqual(Object.keys(HOLDINGS[service] ?? {}).sort());
      }
      if (all.clickHouse !== undefined)
        expect(await clickHouseTables(all.clickHouse)).toEqual(Object.keys(CLICKHOUSE_HOLDINGS).sort());
    });

    test('a person is erased from every table, file and recording, and no one else', async () => {
      await addPerson(all, 'kassandra');
      await addRun(all, 'kassandra');
      await addPerson(all, 'bystander');
      await addRun(all, 'bystander', 'another');
      await eventually(
        async () => {
          for (const name of ['kassandra', 'bystander']) {
            const { objects: files = [], ...tables } = await placesOf(name);
            expect(tables).toEqual(tablesHolding('person'));
            expect(files.map((key) => key.split('/')[0])).toEqual(
              expect.arrayContaining(['attachments', 'events']),
            );
          }
          expect(await objectsIn(objects(), 'replays/')).toHaveLength(2);
        },
        { withinMs: 90_000 },
      );
      /** Removes file names, because an erasure moves the rows of other people to a new file. */
      const withoutFileNames = ({ objects: keys = [], ...tables }: Awaited<ReturnType<typeof placesOf>>) => {
        return { ...tables, objects: [...new Set(keys.map((key) => key.replace(/^events\/.*/, 'events/')))] };
      };
      const before = withoutFileNames(await placesOf('bystander'));

      // These are not archived yet, so the erasure must wait for them.
      await addEvents(all, 'kassandra', 2);
      const { code, out, err } = await erase(
        'person',
        PROJECT,
        'visitor kassandra',
        '--user',
        'user kassandra',
        '--yes',
      );
      expect([err, code]).toEqual(['', 0]);
      for (const service of ['analytics', 'archive', 'collaboration', 'flags', 'messenger'])
        expect(out).toContain(`- eu/${service} 20`);

      // Every recorded run has a property with this name.
      expect((await erase('person', PROJECT, 'who', '--yes')).code).toBe(0);
      await eventually(async () => expect(await placesOf('kassandra')).toEqual(nowhere()));
      expect(withoutFileNames(await placesOf('bystander'))).toEqual(before);
      expect(await objectsIn(objects(), 'replays/')).toHaveLength(1);
      expect(
        await query('messenger', `select 1 from conversations where distinct_id like 'device of k%'`),
      ).toEqual([]);
    });

    test('a person is erased everywhere else while flags is down, and the ids that only flags joins once it is back', async () => {
      await addPerson(all, 'daphne');
      await eventually(async () => {
        const { objects: _, ...tables } = await placesOf('daphne');
        expect(tables).toMatchObject({
          archive: expect.anything(),
          messenger: tablesHolding('person')['messenger'],
        });
        expect((await placesOf('anonymous daphne'))['catalogue']).toEqual(['public.person_ids']);
      });
      await all.stopFlags();
      const ingest = (path: string, body: unknown) =>
        all.call('ingestion', 'POST', path, { token: all.key, body });
      await ingest('/v1/identify', {
        distinct_id: 'visitor daphne',
        properties: { anonymous_id: 'visitor second of d' },
      });
      await addEvents(all, 'second of d', 2);
      const { id, distinctIds } = await all.manage('catalogue', 'POST', `/projects/${PROJECT}/erasures`, {
        distinctIds: ['visitor daphne'],
        userId: 'user daphne',
      });
      expect(distinctIds).toEqual(['visitor daphne', 'anonymous daphne']);
      const others = async () => {
        const { flags: _, catalogue: __, ...places } = await placesOf('daphne');
        return Object.entries(places).flatMap(([store, found]) =>
          // The erasure names the ids until it is done.
          found.filter((place) => place !== 'directory.entries').map((place) => `${store} ${place}`),
        );
      };
      await eventually(async () => expect(await others()).toEqual([]), { withinMs: 60_000 });
      expect((await all.manage('catalogue', 'GET', `/erasures/${id}`)).state).toBe('running');
      expect((await placesOf('daphne'))['flags']).not.toEqual(['directory.entries']);

      await all.startFlags();
      await eventually(
        async () => expect((await all.manage('catalogue', 'GET', `/erasures/${id}`)).state).toBe('done'),
        { withinMs: 60_000 },
      );
      await eventually(async () => {
        for (const name of ['daphne', 'second of d']) expect(await placesOf(name)).toEqual(nowhere());
      });
    }, 240_000);

    test('a colleague is erased from every table and object, and no one else', async () => {
      await addMembers(all, ['colette', 'grace', 'mei']);
      await addColleague(all, 'colette', 'grace');
      await addColleague(all, 'grace', 'mei');
      await query(
        'collaboration',
        `insert into dropped_endpoints values ('https://push.invalid/colette', now()), ('https://push.invalid/grace', now())`,
      );
      await eventually(async () => {
        const { objects: files = [], ...tables } = await placesOf('colette');
        for (const [service, holding] of Object.entries(tablesHolding('colleague')))
          expect(tables[service], service).toEqual(expect.arrayContaining(holding));
        expect(files).toHaveLength(1);
        const ofGrace = await placesOf('grace');
        expect(ofGrace['catalogue']).toContain('public.audit_entries');
        // The changes are counted.
        expect(ofGrace['messenger']).not.toContain('public.conversation_count_changes');
      });
      const prefixes = new Set((await objectsIn(objects())).map((key) => key.split('/')[0]));
      expect(prefixes).toEqual(new Set(Object.keys(OBJECTS)));
      const before = await placesOf('grace');

      const { code, out, err } = await erase('colleague', 'sub-colette', '--yes');
      expect([err, code]).toEqual(['', 0]);
      for (const service of [
        'analytics',
        'archive',
        'collaboration',
        'delivery',
        'flags',
        'identity',
        'ingestion',
        'messenger',
      ])
        expect(out).toContain(`- eu/${service} 20`);

      await eventually(async () =>
        expect(await placesOf('colette')).toEqual({ ...nowhere(), catalogue: ['public.audit_entries'] }),
      );
      await eventually(async () => expect(await placesOf('grace')).toEqual(before));
      expect(
        await query('messenger', `select author_id from turns where body = 'How can we help?' order by 1`),
      ).toEqual([{ author_id: 'sub-grace' }, { author_id: null }]);
      expect((await erase('list')).out).toMatch(
        /^20\S+ ers_\w+ colleague: done\n(20.* ers_.* person of .*: done\n){3}$/,
      );
      expect(await erase('list', '--state', 'running')).toEqual({ code: 0, out: '', err: '' });
    });

    test('a deleted company is erased with its projects, from every table, object and file', async () => {
      await addMembers(all, ['hedy', 'mary']);
      await addColleague(all, 'hedy', 'mary');
      await addPerson(all, 'visitor');
      await addProjectData(all, 'hedy');
      await addRun(all, 'visitor');
      const named = new Set<string>();
      for (const service of ALL_SERVICES)
        for (const table of await tablesOfProjects(await all.harness.databaseUrl(service)))
          named.add(`${service} ${table}`);
      for (const seldom of Object.keys(SELDOM_OF_PROJECT)) expect(named.delete(seldom), seldom).toBe(true);
      const placesOfBoth = async () => {
        const [ofProject, ofCompany] = [await placesOf(PROJECT), await placesOf(COMPANY)];
        return Object.fromEntries(
          Object.entries(ofProject).map(([store, places]) => [
            store,
            [...new Set([...places, ...(ofCompany[store] ?? [])])].sort(),
          ]),
        );
      };
      await eventually(
        async () => {
          const before = await placesOfBoth();
          const found = ALL_SERVICES.flatMap((service) =>
            (before[service] ?? []).map((table) => `${service} ${table}`),
          );
          expect([...named].filter((table) => !found.includes(table))).toEqual([]);
          expect(before['objects']?.map((key) => key.split('/')[0])).toEqual(
            expect.arrayContaining(Object.keys(OBJECTS)),
          );
        },
        { withinMs: 90_000 },
      );

      // These are still in transit when the company is deleted.
      await addEvents(all, 'visitor', 2);
      const { code, out, err } = await erase('company', COMPANY, '--yes');
      expect([err, code]).toEqual(['', 0]);
      for (const service of [
        'analytics',
        'archive',
        'collaboration',
        'delivery',
        'flags',
        'identity',
        'ingestion',
        'messenger',
      ])
        expect(out).toContain(`- eu/${service} 20`);
      const kept = Object.fromEntries(
        Object.entries(KEPT_OF_DELETED).map(([service, tables]) => [service, Object.keys(tables).sort()]),
      );
      await eventually(async () => expect(await placesOfBoth()).toEqual({ ...nowhere(), ...kept }), {
        withinMs: 60_000,
      });
      for (const service of ALL_SERVICES.filter((name) => name !== 'catalogue'))
        expect(
          await query(
            service,
            `select kind, value from directory.entries as one
             where one::text like '%${PROJECT}%' and not (kind = 'project' and value is null) and kind <> 'erasure'`,
          ),
          service,
        ).toEqual([]);
      expect((await erase('list', '--state', 'running')).out).toBe('');
      expect((await erase('list')).out).toMatch(
        / company acme-holding: done\n.* project acme-web-shop: done\n/,
      );

      const again = await all.harness.call('catalogue', 'PUT', `/management/v1/companies/${COMPANY}`, {
        token: all.operator,
        body: { name: 'Mine', plan: { tier: 'pro', cycle: 'monthly' } },
      });
      expect(again.status).toBe(409);
    }, 300_000);
  });
});
