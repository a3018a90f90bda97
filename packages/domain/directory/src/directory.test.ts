import { randomUUID } from 'node:crypto';
import { openDatabase } from '@switchboard/database';
import { readTopic, type StoredRecord } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  DIRECTORY_TOMBSTONE_RETENTION_MS,
  directoryRecord,
  directoryTombstone,
  ERASURE_REPORTS_TOPIC,
  erasureReportsSpec,
  parseLateEntry,
} from './index.ts';
import { markCaughtUp, openReplica, resetReplica } from './store.ts';
import { kafkaBrokers, logs, type TestLog, testLog, testService } from './testing/test-directory.ts';

const someKey = () => `pk_eu_${randomUUID().replaceAll('-', '')}`;
const project = { id: 'shop', companyId: 'acme', name: 'Shop', region: 'eu', defaultLanguage: 'en' };
const ada = {
  companyId: 'acme',
  sub: 'ada',
  name: 'Ada',
  email: 'ada@example.com',
  avatarUrl: null,
  pushSubscriptions: [],
};

describe.for(logs)('the directory over the event log of %s', (kind) => {
  describe.skipIf(kind === 'Kafka' && kafkaBrokers === undefined)('', () => {
    let log: TestLog;
    let service: Awaited<ReturnType<typeof testService>>;
    const key = someKey();
    const putKey = directoryRecord('key', { key, projectId: 'shop' });
    const putProject = directoryRecord('project', project);

    /** Returns the reports that an older record of this entry came last. */
    async function reported(entry: string) {
      const reports: StoredRecord[] = [];
      await readTopic(log.log, ERASURE_REPORTS_TOPIC, { onRecord: (record) => reports.push(record) });
      return reports.filter((record) => record.key === entry).map(parseLateEntry);
    }

    beforeEach(async () => {
      log = await testLog(kind);
      service = await testService(log);
    });
    afterEach(async () => {
      await service.close();
      await log.close();
    });

    it('knows entries that were published before it started', async () => {
      await log.publish(putProject, putKey, directoryRecord('member', ada));
      await log.publish(
        directoryRecord('plan', {
          tier: 'pro',
          cycle: 'monthly',
          entitlements: { articleSearch: true, seats: 5 },
        }),
        directoryRecord('company', {
          id: 'acme',
          name: 'Acme',
          plan: { tier: 'pro', cycle: 'monthly' },
          entitlements: { seats: 9 },
        }),
        directoryRecord('report', { projectId: 'shop', id: 'weekly', name: 'Weekly' }),
      );
      const { directory } = service.instance();
      await directory.start();
      expect(directory.isReady()).toBe(true);
      expect(await directory.projectKey(key)).toEqual({
        key,
        projectId: 'shop',
        companyId: 'acme',
        region: 'eu',
      });
      expect(await directory.project('shop')).toEqual(project);
      expect(await directory.member('acme', 'ada')).toEqual(ada);
      expect(await directory.members('acme', ['nobody', 'ada'])).toEqual([ada]);
      expect(await directory.entitlements('acme')).toEqual({ articleSearch: true, seats: 9 });
      expect(await directory.entitlements('nobody')).toEqual({});
      expect(await directory.report('shop', 'weekly')).toMatchObject({ name: 'Weekly' });
      expect(await directory.projectKey(someKey())).toBeUndefined();
    });

    it('resolves a key once its project has arrived, in either order', async () => {
      const { directory } = service.instance();
      await directory.start();
      await log.publish(putKey);
      expect(await directory.projectKey(key)).toBeUndefined();
      await log.publish(putProject);
      expect(await directory.projectKey(key)).toMatchObject({ region: 'eu' });
    });

    it('answers for records published before the look-up, even after an earlier look-up without a result', async () => {
      const instances = [service.instance(), service.instance()];
      for (const { directory } of instances) await directory.start();
      for (let round = 0; round < 5; round++) {
        const [id, made] = [`p${round}`, someKey()];
        for (const { directory } of instances) {
          expect(await directory.projectKey(made)).toBeUndefined();
          expect(await directory.report(id, 'weekly')).toBeUndefined();
        }
        await log.publish(
          directoryRecord('project', { ...project, id }),
          directoryRecord('key', { key: made, projectId: id }),
          directoryRecord('report', { projectId: id, id: 'weekly', name: 'Weekly' }),
          directoryRecord('member', { ...ada, sub: id }),
        );
        for (const { directory } of instances) {
          const found = await Promise.all([
            directory.projectKey(made),
            directory.project(id),
            directory.report(id, 'weekly'),
            directory.member('acme', id),
          ]);
          expect(found).toMatchObject([{ projectId: id }, { id }, { name: 'Weekly' }, { sub: id }]);
        }
      }
    });

    it('stops resolving a revoked key in every instance', async () => {
      await log.publish(putProject, putKey);
      const instances = [service.instance(), service.instance()];
      for (const { directory } of instances) {
        await directory.start();
        expect(await directory.projectKey(key)).toBeDefined();
      }
      await log.publish(directoryTombstone('key', key));
      for (const { directory } of instances) {
        await eventually(async () => expect(await directory.projectKey(key)).toBeUndefined());
      }
    });

    it('keeps a revoked key revoked when the record of its creation arrives late, and reports it', async () => {
      const made = { ...putKey, revision: 1n };
      const revoked = { ...directoryTombstone('key', key), revision: 2n };
      await log.log.createTopics([erasureReportsSpec(1)]);
      await log.publish(putProject, made, revoked);
      const { directory } = service.instance();
      await directory.start();
      expect(await reported(putKey.key)).toEqual([]);
      await log.publish(made);
      // The report comes from one of the two instances, because only one applies the record.
      const { directory: other } = service.instance();
      await other.start();
      await eventually(async () =>
        expect(await reported(putKey.key)).toEqual([{ key: putKey.key, kind: 'key', identifiers: [key] }]),
      );
      expect(await directory.projectKey(key)).toBeUndefined();
      // Catalogue republishes the entry, and then no record is late.
      await log.publish(directoryTombstone('key', key));
      const again = someKey();
      await log.publish(directoryRecord('key', { key: again, projectId: 'shop' }));
      expect(await directory.projectKey(again)).toBeDefined();
      expect(await reported(putKey.key)).toHaveLength(1);
    });

    it('returns the changed project for a known key', async () => {
      await log.publish(putProject, putKey);
      const { directory } = service.instance();
      await directory.start();
      expect(await directory.projectKey(key)).toMatchObject({ companyId: 'acme' });
      await log.publish(directoryRecord('project', { ...project, companyId: 'globex' }));
      await eventually(async () =>
        expect(await directory.projectKey(key)).toMatchObject({ companyId: 'globex' }),
      );
    });

    it('skips an unreadable record and dead-letters it', async () => {
      const withoutRevision = { partition: 0, key: putKey.key, value: null, headers: {} };
      await log.log.publish(log.topic, [withoutRevision]);
      await log.publish(
        { key: 'company:acme', value: '{"id":' },
        { key: 'planet:mars', value: '{}' },
        { key: 'project:one', value: directoryRecord('project', { ...project, id: 'other' }).value },
        putProject,
      );
      const { directory } = service.instance();
      await directory.start();
      expect(await directory.project('shop')).toEqual(project);
      const ends = await log.log.endOffsets(`${log.topic}.dead-letter`);
      expect(ends.reduce((sum, end) => sum + end, 0n)).toBe(4n);
    });

    it('gives a new service all current entries and no removed ones', async () => {
      const others = Array.from({ length: 50 }, (_, index) => ({ ...project, id: `p${index}` }));
      await log.publish(...others.map((one) => directoryRecord('project', { ...one, name: 'before' })));
      await log.publish(...others.map((one) => directoryRecord('project', one)));
      await log.publish(
        putProject,
        putKey,
        directoryTombstone('key', key),
        directoryTombstone('project', 'p7'),
      );
      const { directory } = service.instance();
      await directory.start();
      for (const one of others) {
        expect(await directory.project(one.id)).toEqual(one.id === 'p7' ? undefined : one);
      }
      expect(await directory.projectKey(key)).toBeUndefined();
    });

    it('reads the directory from the start when the topic was recreated', async () => {
      await log.publish(putProject, putProject, putProject, putKey);
      const before = service.instance();
      await before.directory.start();
      await before.directory.stop();
      const recreated = await testLog(kind);
      await recreated.publish(directoryRecord('project', { ...project, id: 'new' }));
      const again = await testService(recreated, service.url);
      const { directory } = again.instance();
      await directory.start();
      await eventually(async () => expect(await directory.project('new')).toBeDefined());
      await eventually(async () => expect(await directory.projectKey(key)).toBeUndefined());
      await again.close();
      await recreated.close();
    });
  });
});

describe('a replica', () => {
  let log: TestLog;
  let service: Awaited<ReturnType<typeof testService>>;
  beforeAll(async () => {
    log = await testLog('PostgreSQL');
    service = await testService(log);
  });
  afterAll(async () => {
    await service.close();
    await log.close();
  });

  it('reads a replica from the start when it was behind for half the tombstone retention, and not before', async () => {
    await log.publish(directoryRecord('project', project));
    const database = openDatabase({ url: service.url, applicationName: 'test' });
    const startAfter = async (seconds: number) => {
      // An entry that was removed while the replica was behind, and that has no tombstone on the topic any more.
      await database.sql`
        insert into directory.entries (kind, id, value, revision)
        values ('report', 'shop/gone', '{"projectId":"shop","id":"gone","name":"Gone"}', 0)
        on conflict do nothing`;
      await database.sql`update directory.replica set caught_up_at = now() - make_interval(secs => ${seconds})`;
      const { directory } = service.instance();
      await directory.start();
      return directory;
    };
    const { directory } = service.instance();
    await directory.start();
    await directory.stop();
    const halfSeconds = DIRECTORY_TOMBSTONE_RETENTION_MS / 2_000;
    const behind = await startAfter(halfSeconds - 3_600);
    await log.publish(directoryRecord('project', { ...project, name: 'Followed' }));
    await eventually(async () => expect(await behind.project('shop')).toMatchObject({ name: 'Followed' }));
    expect(await behind.report('shop', 'gone')).toBeDefined();
    await behind.stop();
    const stale = await startAfter(halfSeconds + 3_600);
    await eventually(async () => expect(await stale.report('shop', 'gone')).toBeUndefined());
    expect(await stale.project('shop')).toMatchObject({ name: 'Followed' });
    await database.close();
  });

  it('empties a replica in short statements, and continues after an interruption', async () => {
    const { url, close } = await testService(log);
    const database = openDatabase({ url, applicationName: 'test' });
    await database.sql`insert into directory.replica (bootstrapped_at, caught_up_at) values (now(), now())`;
    await database.sql`insert into directory.applied values (0, 7)`;
    await database.sql`
      insert into directory.entries (kind, id, value, revision)
      select case when n % 2 = 0 then 'key' else 'project' end, n::text, '{}', n from generate_series(1, 22000) as n`;
    await database.sql.unsafe(`
      create table allowed as select 2 as statements;
      create function refuse() returns trigger language plpgsql as $$ begin
        if (select count(*) from gone) > 5000 then raise exception 'too many rows in a statement'; end if;
        update allowed set statements = statements - 1;
        if (select statements < 0 from allowed) then raise exception 'interrupted'; end if;
        return null;
      end $$;
      create trigger refuse after delete on directory.entries
        referencing old table as gone for each statement execute function refuse();`);
    const before = await openReplica(database.drizzle);
    await expect(resetReplica(database.drizzle, before.id)).rejects.toMatchObject({
      cause: { message: 'interrupted' },
    });
    await markCaughtUp(database.drizzle, before.id);
    const left = await database.sql`select count(*) as entries from directory.entries`;
    expect([...left]).toEqual([{ entries: 12_000 }]);
    expect(await openReplica(database.drizzle)).toEqual({ ...before, isBootstrapped: false, isStale: true });
    await database.sql`update allowed set statements = 100`;
    await resetReplica(database.drizzle, before.id);
    const rest = await database.sql`
      select (select count(*) from directory.entries) as entries, (select count(*) from directory.applied) as applied`;
    expect([...rest]).toEqual([{ entries: 0, applied: 0 }]);
    const after = await openReplica(database.drizzle);
    expect(after).toEqual({ id: expect.any(String), isBootstrapped: false, isStale: false });
    expect(after.id).not.toBe(before.id);
    // An instance that still has the old replica id resets again, which does nothing.
    await resetReplica(database.drizzle, before.id);
    expect(await openReplica(database.drizzle)).toEqual(after);
    await database.close();
    await close();
  });

  it('refuses lookups until the replica is complete', async () => {
    const { directory } = service.instance();
    await expect(directory.project('shop')).rejects.toThrow('still loading');
    expect(directory.isReady()).toBe(false);
  });
});
