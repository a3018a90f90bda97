import { type Database, openDatabase, type Tx } from '@switchboard/database';
import { eventually, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyBatch } from '../apply.ts';
import {
  type DirectoryRecord,
  directoryMigrations,
  directoryRecord,
  directoryTombstone,
  outgoingRecord,
} from '../index.ts';
import { findRemoved, holdReport, type Removed } from './removals.ts';

let own: TestDatabase;
let database: Database;
let offset: bigint;
let removed: Removed[];
beforeEach(async () => {
  own = await testDatabase({ migrations: [directoryMigrations] });
  database = openDatabase({ url: own.url, applicationName: 'removals-test' });
  offset = 0n;
  removed = [];
});
afterEach(async () => {
  await database.close();
  await own.drop();
});

const report = (generation?: string) =>
  directoryRecord('report', { projectId: 'shop', id: 'a/b', name: 'Weekly', generation });
const gone = directoryTombstone('report', 'shop', 'a/b');
const note = async (_tx: Tx, more: readonly Removed[]) => void removed.push(...more);

/** Applies records in one batch. */
async function apply(records: DirectoryRecord[], onRemoved = note): Promise<void> {
  const stored = records.map((record) => {
    const at = offset++;
    return { ...outgoingRecord(record, at, 1), topic: 'directory', offset: at, timestamp: 0 };
  });
  const batch = {
    topic: 'directory',
    partition: 0,
    records: stored,
    nextOffset: offset,
    signal: new AbortController().signal,
    deadLetter: () => expect.unreachable(),
    commit: async () => undefined,
  };
  const log = { publish: async () => ({ offsetOf: () => 0n }) };
  await applyBatch(database.drizzle, log, batch, onRemoved);
}

const theReport = { kind: 'report', projectId: 'shop', reportId: 'a/b' };

it('notifies of a report when it is removed, and not when it is new or changed', async () => {
  await apply([report('one')]);
  await apply([report('one')]);
  expect(removed).toEqual([]);
  await apply([gone]);
  expect(removed).toEqual([theReport]);
});

it.each([
  ['its removal was in the same batch', [gone, report('two')]],
  ['compaction took its removal away', [report('two')]],
])('notifies of a report that another one replaced where %s', async (_, records) => {
  await apply([report('one')]);
  await apply(records);
  expect(removed).toEqual([theReport]);
});

it('notifies of a report that comes back, because an earlier version kept its data', async () => {
  await apply([report()]);
  await apply([gone], async () => undefined);
  await apply([report('one')]);
  expect(removed).toEqual([theReport]);
});

it('notifies of removed members, and of nothing that is read for the first time', async () => {
  const member = {
    companyId: 'acme',
    sub: 'ada',
    name: 'Ada',
    email: 'a@b.co',
    avatarUrl: null,
    pushSubscriptions: [],
  };
  await apply([
    directoryRecord('member', { ...member, generation: 'one' }),
    directoryTombstone('report', 'shop', 'never'),
  ]);
  expect(removed).toEqual([]);
  await apply([directoryRecord('member', { ...member, generation: 'two' })]);
  expect(removed).toEqual([{ kind: 'member', companyId: 'acme', sub: 'ada' }]);
});

it('removes nothing for a record that is older than the entry', async () => {
  await apply([report('one')]);
  const old = { kind: 'report', id: 'shop/a%2Fb', value: null, revision: -1n } as const;
  expect(await database.drizzle.transaction((tx) => findRemoved(tx, [old]))).toEqual([]);
});

it('calls back only after transactions that hold the report have stored their data', async () => {
  await database.sql`create table things (report text)`;
  await apply([report('one')]);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isHeld = false;
  const storing = database.drizzle.transaction(async (tx) => {
    isHeld = (await holdReport(tx, 'shop', 'a/b')) !== undefined;
    await released;
    await tx.execute(sql`insert into things values ('a/b')`);
  });
  await eventually(() => expect(isHeld).toBe(true));
  const applying = apply([gone], async (tx) => void (await tx.execute(sql`delete from things`)));
  await eventually(async () => {
    const waiting = await database.sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    expect(waiting).toHaveLength(1);
  });
  release();
  await Promise.all([storing, applying]);
  expect(await database.sql`select from things`).toHaveLength(0);
  expect(await database.drizzle.transaction((tx) => holdReport(tx, 'shop', 'a/b'))).toBeUndefined();
});
