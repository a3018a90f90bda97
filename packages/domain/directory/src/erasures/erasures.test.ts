import { randomUUID } from 'node:crypto';
import { openDatabase } from '@switchboard/database';
import { type EventLog, openPostgresLog, readTopic } from '@switchboard/event-log';
import { eventually, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { directoryMigrations, ERASURE_REPORTS_TOPIC, erasureReportsSpec } from '../index.ts';
import { type Erasures, openErasures } from './erasures.ts';
import { parseErasureReport } from './reports.ts';
import { lockErasures, readErasures } from './store.ts';

const SUBJECT = { kind: 'person', projectId: 'shop', distinctIds: ['ada'], userId: null } as const;

let own: TestDatabase;
let database: ReturnType<typeof openDatabase>;
let log: EventLog;
let running: Erasures[];
let erased: string[];
/** The ids that the eraser finds in addition. */
let joined: string[];
beforeEach(async () => {
  own = await testDatabase({ migrations: [directoryMigrations] });
  database = openDatabase({ url: own.url, applicationName: 'erasures-test' });
  log = openPostgresLog({ url: own.url });
  await log.createTopics([
    erasureReportsSpec(1),
    { name: 'calls', partitions: 2, replication: 1, cleanup: 'delete', retentionMs: 3_600_000 },
  ]);
  running = [];
  erased = [];
  joined = [];
});
afterEach(async () => {
  await Promise.all(running.map((erasures) => erasures.stop()));
  await log.close();
  await database.close();
  await own.drop();
});

const row = (subject: object, id = 'ers_1', waitingFor = ['eu/test']) =>
  JSON.stringify({ id, subject, waitingFor });

async function ask(subject: object, id = 'ers_1', waitingFor?: string[]): Promise<void> {
  await addEntry('erasure', id, row(subject, id, waitingFor));
}

async function addEntry(kind: string, id: string, value: string | null): Promise<void> {
  await database.sql`
    insert into directory.entries (kind, id, value, revision) values (${kind}, ${id}, ${value}, 1)
    on conflict (kind, id) do update set value = excluded.value`;
}

function start(
  fail: () => boolean = () => false,
  work?: (signal: AbortSignal) => Promise<void>,
  lockTimeoutMs?: number,
  sources: readonly string[] = [],
): Erasures {
  const erasures = openErasures({
    database,
    databaseUrl: own.url,
    log,
    service: 'test',
    region: 'eu',
    settleMs: 50,
    pollMs: 50,
    logger: { info: () => undefined, warn: () => undefined, failed: () => undefined },
    ...(lockTimeoutMs === undefined ? {} : { lockTimeoutMs }),
    intakes: [{ group: 'calls of test', topics: ['calls'] }],
    sources,
    eraser: () => ({
      async erasePerson({ distinctIds }, signal) {
        await work?.(signal);
        if (fail()) throw new Error('not now');
        const found = joined.filter((id) => !distinctIds.includes(id));
        if (found.length > 0) return found;
        erased.push(...distinctIds);
        return [];
      },
      async eraseColleague(sub) {
        erased.push(sub);
      },
      async eraseProject(projectId) {
        erased.push(projectId);
      },
      async eraseCompany(companyId) {
        erased.push(companyId);
      },
    }),
  });
  running.push(erasures);
  erasures.start();
  return erasures;
}

const reports = async () => (await log.endOffsets(ERASURE_REPORTS_TOPIC)).reduce((sum, end) => sum + end, 0n);
const reported = (count: bigint) =>
  eventually(async () => expect(await reports()).toBe(count), { withinMs: 20_000 });

async function readIds(db: Parameters<typeof readErasures>[0]): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of readErasures(db)) ids.push(id);
  return ids;
}

const call = { partition: 1, key: randomUUID(), value: Buffer.from('ada'), headers: {} };

it('waits until its consumers have read the records that were on the log, and not for later ones', async () => {
  await log.publish('calls', [call]);
  await ask(SUBJECT);
  // Waits for no consumer, and is considered after the erasure above.
  await ask({ kind: 'colleague', sub: 'grace' }, 'ers_2');
  start();
  await reported(1n);
  expect(erased).toEqual(['grace']);
  await log.publish('calls', [call]);
  let read = 0;
  const consumption = await log.consume({
    group: 'calls of test',
    topics: ['calls'],
    maxBatchBytes: 1,
    async handle() {
      // The second record is never read.
      if (read > 0) throw new Error('not read');
      read += 1;
    },
  });
  await reported(2n);
  expect(erased).toEqual(['grace', 'ada']);
  await consumption.stop();
});

it('retries an erasure after a failure, and reports it once', async () => {
  let failures = 2;
  await ask(SUBJECT);
  start(() => failures-- > 0);
  await reported(1n);
  expect(erased).toEqual(['ada']);
});

it('erases the ids it knows while flags is down, and reports only when flags has reported', async () => {
  const waitingFor = ['eu/flags', 'eu/test'];
  await ask(SUBJECT, 'ers_1', waitingFor);
  await ask({ kind: 'colleague', sub: 'mei' }, 'ers_2');
  start();
  await reported(1n);
  await eventually(() => expect(erased.toSorted()).toEqual(['ada', 'mei']), { withinMs: 20_000 });
  // Flags found an id, and has not erased yet.
  await ask({ ...SUBJECT, distinctIds: ['ada', 'phone'] }, 'ers_1', waitingFor);
  await eventually(() => expect(erased.slice(2)).toEqual(['ada', 'phone']), { withinMs: 20_000 });
  expect(await reports()).toBe(1n);
  await ask({ ...SUBJECT, distinctIds: ['ada', 'phone', 'laptop'] }, 'ers_1', ['us/flags', 'eu/test']);
  await reported(2n);
  expect(erased.slice(4)).toEqual(['ada', 'phone', 'laptop']);
});

it('does not repeat the erasure when flags reports no more ids, unless the process was restarted', async () => {
  await ask(SUBJECT, 'ers_1', ['eu/flags', 'eu/test']);
  await ask({ ...SUBJECT, distinctIds: ['grace'] }, 'ers_2', ['eu/flags', 'eu/test']);
  const first = start();
  await eventually(() => expect(erased).toEqual(['ada', 'grace']), { withinMs: 20_000 });
  await ask(SUBJECT);
  await reported(1n);
  expect(erased).toEqual(['ada', 'grace']);
  await first.stop();
  start();
  await ask({ ...SUBJECT, distinctIds: ['grace'] }, 'ers_2');
  await reported(3n);
  expect(erased).toEqual(['ada', 'grace', 'grace']);
});

it('erases again what it read until the services that publish what people write have reported', async () => {
  await ask(SUBJECT, 'ers_1', ['eu/messenger', 'eu/test']);
  start(undefined, undefined, undefined, ['messenger']);
  await eventually(() => expect(erased).toEqual(['ada']), { withinMs: 20_000 });
  await log.publish('calls', [call]);
  // The end of the topic before this report does not count: the record has to be read first.
  await ask(SUBJECT);
  await ask({ kind: 'colleague', sub: 'grace' }, 'ers_2');
  await reported(1n);
  expect(erased).toEqual(['ada', 'grace']);
  const consumption = await log.consume({
    group: 'calls of test',
    topics: ['calls'],
    async handle() {},
  });
  await reported(2n);
  expect(erased).toEqual(['ada', 'grace', 'ada']);
  await consumption.stop();
});

it('reports ids that it finds, and erases once the erasure has them', async () => {
  joined = ['phone', 'laptop'];
  await ask(SUBJECT);
  start();
  await reported(1n);
  expect(erased).toEqual([]);
  await ask({ ...SUBJECT, distinctIds: ['ada', 'phone', 'laptop'] });
  await reported(2n);
  expect(erased).toEqual(['ada', 'phone', 'laptop']);
  const found: unknown[] = [];
  await readTopic(log, ERASURE_REPORTS_TOPIC, {
    onRecord: (record) => found.push(parseErasureReport(record)),
  });
  const report = { erasureId: 'ers_1', service: 'eu/test' };
  expect(found).toEqual([{ ...report, found: ['phone', 'laptop'] }, report]);
});

it('reports a finished erasure again until the report is stored, without repeating the erasure', async () => {
  await ask(SUBJECT);
  const first = start();
  await reported(1n);
  await first.stop();
  start();
  await reported(2n);
  expect(erased).toEqual(['ada']);
  await database.sql`update directory.entries set value = null where id = 'ers_1'`;
  await ask({ ...SUBJECT, distinctIds: ['grace'] }, 'ers_2');
  await reported(3n);
  expect(erased).toEqual(['ada', 'grace']);
  expect([...(await database.sql`select * from directory.done_erasures`)]).toEqual([{ id: 'ers_2' }]);
});

it('releases the lock of a process that vanished without closing its connection', async () => {
  const silent = openDatabase({ url: own.url, applicationName: 'silent', statementTimeoutMs: 200 });
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = silent.drizzle.transaction(async (tx) => {
    expect(await lockErasures(tx)).toBe(true);
    locked.resolve();
    await released.promise;
  });
  const ended = held.catch((error: unknown) => error);
  await locked.promise;
  await eventually(
    async () => expect(await database.drizzle.transaction((tx) => lockErasures(tx))).toBe(true),
    { withinMs: 8_000 },
  ).finally(released.resolve);
  expect(await ended).toBeInstanceOf(Error);
  await silent.close();
});

it('keeps the lock while an erasure takes longer than the idle limit of a connection', async () => {
  let begun = 0;
  await ask(SUBJECT);
  const work = async () => {
    begun += 1;
    await new Promise((resolve) => setTimeout(resolve, 6_000));
  };
  for (let processes = 0; processes < 2; processes++) start(undefined, work, 500);
  // The other process finds the erasure done and reports it too.
  await reported(2n);
  expect([begun, erased]).toEqual([1, ['ada']]);
});

it('gives up an erasure when its lock is lost or it is stopped, before another begins', async () => {
  const order: string[] = [];
  await ask(SUBJECT);
  const erasures = start(undefined, async (signal) => {
    order.push('begins');
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await new Promise((resolve) => setTimeout(resolve, 200));
    order.push('ends');
    signal.throwIfAborted();
  });
  await eventually(() => expect(order).toEqual(['begins']), { withinMs: 20_000 });
  await database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'test erasure' and datname = current_database()`;
  await eventually(() => expect(order).toEqual(['begins', 'ends', 'begins']), { withinMs: 20_000 });
  await erasures.stop();
  expect(order).toEqual(['begins', 'ends', 'begins', 'ends']);
  expect([erased, await reports()]).toEqual([[], 0n]);
});

it('ignores erasures that do not ask for its service', async () => {
  await database.sql`
    insert into directory.entries (kind, id, value, revision)
    values ('erasure', 'ers_1', ${row(SUBJECT, 'ers_1', ['us/test', 'eu/other'])}, 1), ('erasure', 'ers_2', null, 2)`;
  await ask({ kind: 'colleague', sub: 'grace' }, 'ers_3');
  start();
  await reported(1n);
  expect(erased).toEqual(['grace']);
});

it('clears the replica of a colleague who is no longer a member, and of no one else', async () => {
  const member = JSON.stringify({ sub: 'a/da' });
  await database.sql`
    insert into directory.entries (kind, id, value, revision) values
      ('member', 'acme/a%2Fda', ${member}, 1), ('member', 'old/a%2Fda', null, 2),
      ('member', 'acme/mei', null, 3), ('report', 'acme/a%2Fda', null, 4)`;
  await ask({ kind: 'colleague', sub: 'a/da' });
  start();
  await ask({ kind: 'colleague', sub: 'grace' }, 'ers_2');
  await reported(1n);
  expect(erased).toEqual(['grace']);
  await database.sql`update directory.entries set value = null where kind = 'member' and id = 'acme/a%2Fda'`;
  await reported(2n);
  expect(erased).toEqual(['grace', 'a/da']);
  const left =
    await database.sql`select kind, id from directory.entries where kind <> 'erasure' order by 1, 2`;
  expect(left.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['member acme/mei', 'report acme/a%2Fda']);
});

it('reads any number of erasures, oldest first', async () => {
  const ids = Array.from({ length: 250 }, (_, n) => `ers_${String(n).padStart(3, '0')}`);
  for (const id of ids.toReversed()) await ask(SUBJECT, id);
  expect(await readIds(database.drizzle)).toEqual(ids);
});

it('finds pending erasures without reading those that every service has completed', async () => {
  await database.sql`
    insert into directory.entries (kind, id, value, revision)
    select 'erasure', 'ers_done' || n, null, 1 from generate_series(1, 20000) as n`;
  await database.sql`analyze directory.entries`;
  await ask(SUBJECT);
  await database.drizzle.transaction(async (tx) => {
    expect(await readIds(tx)).toEqual(['ers_1']);
    const [read] = await tx.execute(sql`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows
      from pg_stat_xact_user_tables where relid = 'directory.entries'::regclass`);
    expect(Number(read?.['rows'])).toBe(1);
  });
});

const entriesLeft = async () =>
  (await database.sql`select kind || ':' || id as key from directory.entries order by 1`).map(
    ({ key }) => key,
  );

it('erases a project after ingestion rejects its data and the replica has removed it', async () => {
  const project = { kind: 'project', projectId: 'shop' };
  await addEntry('project', 'shop', '{}');
  for (const report of ['shop/weekly', 'shop-2/weekly']) await addEntry('report', report, null);
  await ask(project, 'ers_1', ['eu/ingestion', 'eu/test']);
  await ask({ kind: 'colleague', sub: 'ada' }, 'ers_2');
  start();
  await reported(1n);
  await ask(project, 'ers_1', ['us/ingestion', 'eu/test']);
  await ask({ kind: 'colleague', sub: 'grace' }, 'ers_3');
  await reported(2n);
  expect(erased).toEqual(['ada', 'grace']);
  await addEntry('project', 'shop', null);
  await reported(3n);
  expect(erased).toEqual(['ada', 'grace', 'shop']);
  // The project's own row stays, so that a late record cannot restore the project.
  expect(await entriesLeft()).toEqual(expect.arrayContaining(['project:shop', 'report:shop-2/weekly']));
  expect(await entriesLeft()).not.toContain('report:shop/weekly');
});

it('erases deleted projects and companies again in a new database, without waiting services', async () => {
  await ask({ kind: 'project', projectId: 'shop' }, 'ers_1', []);
  await ask({ kind: 'company', companyId: 'acme' }, 'ers_2', []);
  const first = start();
  await eventually(() => expect(erased).toEqual(['shop', 'acme']), { withinMs: 20_000 });
  await first.stop();
  start();
  await ask({ kind: 'colleague', sub: 'ada' }, 'ers_3');
  await reported(1n);
  expect(erased).toEqual(['shop', 'acme', 'ada']);
});
