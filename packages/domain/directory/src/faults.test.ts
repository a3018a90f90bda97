import { randomUUID } from 'node:crypto';
import { type Database, isUnavailable, migrate, openDatabase } from '@switchboard/database';
import { openPostgresLog } from '@switchboard/event-log';
import { eventually, type PostgresServer, postgresServer } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Directory,
  type DirectoryRecord,
  DirectoryUnavailable,
  directoryMigrations,
  directoryRecord,
  directoryTombstone,
  openDirectory,
  outgoingRecord,
} from './index.ts';
import { type TestLog, testLog, testService } from './testing/test-directory.ts';

const project = { id: 'shop', companyId: 'acme', name: 'Shop', region: 'eu', defaultLanguage: 'en' };
const someKey = () => `pk_eu_${randomUUID().replaceAll('-', '')}`;

let server: PostgresServer;
let log: TestLog;
let service: Awaited<ReturnType<typeof testService>>;
let directories: Directory[];
let key: string;

beforeAll(async () => {
  server = await postgresServer(['flags']);
  await migrate(server.url('flags'), directoryMigrations);
  log = await testLog('PostgreSQL');
  await log.publish(directoryRecord('project', project));
  service = await testService(log, server.url('flags'));
  directories = [service.instance().directory, service.instance().directory];
  for (const directory of directories) await directory.start();
});
afterAll(async () => {
  await service.close();
  await log.close();
  await server.remove();
});
beforeEach(async () => {
  key = someKey();
  await log.publish(directoryRecord('key', { key, projectId: 'shop' }));
  await answered();
  // The announcement of the new key may still arrive and evict the key from memory again.
  await new Promise((resolve) => setTimeout(resolve, 500));
  await answered();
});

const answered = () =>
  Promise.all(
    directories.map((directory) =>
      eventually(async () => expect(await directory.projectKey(key)).toMatchObject({ region: 'eu' })),
    ),
  );
const refused = () =>
  Promise.all(
    directories.map((directory) =>
      eventually(async () => expect(await directory.projectKey(key)).toBeUndefined(), { withinMs: 20_000 }),
    ),
  );
const revoke = () => log.publish(directoryTombstone('key', key));
const find = async (directory: Directory, wanted: string) => directory.projectKey(wanted);
const isAway = (error: unknown) => error instanceof DirectoryUnavailable || isUnavailable(error);

/** Resolves when the replica listens. Until then, it sends probes. */
async function listening(database: Database) {
  let probes = 0;
  const count = (payload: string) => void (payload.includes('probe') && probes++);
  const own = await database.listen('directory_changed', count, () => undefined);
  await eventually(
    async () => {
      const before = probes;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(probes).toBe(before);
    },
    { withinMs: 30_000 },
  );
  await own.stop();
}

describe('the directory during faults of the database of its replica', () => {
  it('resolves known keys while the database is stopped, and reports unknown ones as unavailable', async () => {
    await server.stop();
    for (const directory of directories) {
      for (let i = 0; i < 3; i++) {
        expect(await directory.projectKey(key)).toMatchObject({ projectId: 'shop' });
        expect(await find(directory, someKey()).catch(isAway)).toBe(true);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
    await revoke();
    await server.start();
    await refused();
  });

  it('resolves known keys while the database is frozen, and refuses a revoked key once it thaws', async () => {
    await server.freeze();
    try {
      await revoke();
      for (const directory of directories) {
        expect(await directory.projectKey(key)).toMatchObject({ projectId: 'shop' });
        // The time-out may be that of this read or of an earlier one.
        expect(await find(directory, someKey()).catch(isAway)).toBe(true);
      }
    } finally {
      await server.thaw();
    }
    await refused();
  });

  it('loses nothing when the database is killed, and every replica listens again', async () => {
    await server.kill();
    await revoke();
    await refused();
    await answeredAnew();
    const database = openDatabase({ url: server.url('flags'), applicationName: 'beside' });
    await listening(database);
    await database.close();
  });
});

it('applies a revocation even if the listening connection is cut at that moment', async () => {
  const database = openDatabase({ url: server.url('flags'), applicationName: 'cutter' });
  for (let round = 0; round < 5; round++) {
    await listening(database);
    const cut = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'directory-test listen'`;
    expect(cut).toHaveLength(directories.length);
    await revoke();
    await refused();
    await answeredAnew();
  }
  await database.close();
});

async function answeredAnew() {
  key = someKey();
  await log.publish(directoryRecord('key', { key, projectId: 'shop' }));
  await answered();
}

it('resolves a known key without a query, and random keys with few queries that evict no known key', async () => {
  const database = openDatabase({ url: server.url('flags'), applicationName: 'counted' });
  let queries = 0;
  const select: typeof database.drizzle.select = (fields?: object) => {
    if (fields !== undefined && 'value' in fields) queries++;
    return database.drizzle.select(fields as never);
  };
  const counted = { ...database, drizzle: Object.assign(Object.create(database.drizzle), { select }) };
  let endsRead = 0;
  const asked = {
    ...log.log,
    endOffsets: (topic: string) => {
      endsRead++;
      return log.log.endOffsets(topic);
    },
  };
  const directory = openDirectory({ database: counted, log: asked, topic: log.topic, service: 'counted' });
  await directory.start();
  await directory.projectKey(key);
  await eventually(async () => {
    await directory.projectKey(someKey());
    // One read when following began, and one for the unknown key.
    expect(endsRead).toBeGreaterThan(1);
  });
  const before = queries;
  const endsBefore = endsRead;
  for (let i = 0; i < 1_000; i++) expect(await directory.projectKey(key)).toBeDefined();
  expect(queries).toBe(before);
  const strangers = Array.from({ length: 5_000 }, someKey);
  expect((await Promise.all(strangers.map(directory.projectKey))).every((one) => one === undefined)).toBe(
    true,
  );
  // Queries are batched: one for the first key, then up to 1,000 keys each.
  expect(queries - before).toBeLessThanOrEqual(6);
  const afterStrangers = queries;
  await Promise.all(strangers.map(directory.projectKey));
  await directory.projectKey(key);
  expect(queries).toBe(afterStrangers);
  // Concurrent look-ups share a wait, so there are far fewer reads than keys.
  expect(endsRead - endsBefore).toBeLessThanOrEqual(10);
  await directory.stop();
  await database.close();
});

it('uses the stored directory when a service starts without the event log, and catches up later', async () => {
  const logServer = await postgresServer(['log']);
  const database = openDatabase({ url: service.url, applicationName: 'late' });
  const open = () => openPostgresLog({ url: logServer.url('log') });
  const first = open();
  await first.createTopics([{ ...log.spec, name: 'directory' }]);
  await database.sql`truncate directory.replica, directory.applied, directory.entries`;
  const before = openDirectory({ database, log: first, service: 'late' });
  const record = directoryRecord('project', { ...project, id: 'late' });
  const publish = (published: DirectoryRecord, revision: bigint) =>
    first.publish('directory', [outgoingRecord(published, revision, log.spec.partitions)]);
  await publish(record, 1n);
  await before.start();
  await before.stop();
  await publish(directoryTombstone('project', 'late'), 2n);
  await first.close();
  await logServer.stop();

  const second = open();
  const directory = openDirectory({ database, log: second, service: 'late' });
  await directory.start();
  expect(directory.isReady()).toBe(true);
  expect(await directory.project('late')).toBeDefined();
  await logServer.start();
  await eventually(async () => expect(await directory.project('late')).toBeUndefined(), { withinMs: 20_000 });
  await directory.stop();
  await second.close();
  await database.close();
  await logServer.remove();
});
