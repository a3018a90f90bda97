import { appendEntry, auditMigrations, createAuditSource } from '@switchboard/audit';
import { operation } from '@switchboard/contracts';
import { type Database, migrate, newId, openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { startTestApp } from '../testing/test-app.ts';
import { createAudited } from './change.ts';
import { newEntry } from './request.ts';

const touch = operation({
  service: 'flags',
  host: 'management',
  tag: 'Test',
  operationId: 'touch',
  permission: 'flags.write',
  credential: 'management',
  errorShape: 'B',
  method: 'put',
  path: '/management/v1/touched',
  responses: { 200: { description: 'ok', content: { 'application/json': { schema: z.object({}) } } } },
});

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const test = await testDatabase();
  drop = test.drop;
  await migrate(test.url, auditMigrations);
  database = openDatabase({ url: test.url, applicationName: 'test' });
  await database.sql`create table things (id text)`;
});
afterAll(async () => {
  await database.close();
  await drop();
});
beforeEach(async () => {
  await database.sql`truncate things, audit.outbox`;
});

const stored = async () =>
  (await createAuditSource(database.drizzle).oldest(10)).map(({ entry }) => JSON.parse(entry));

function audited() {
  const call = { parameter: () => undefined, requestId: newId('req'), address: '192.0.2.1' };
  return createAudited({
    entry: newEntry(touch, call, { service: 'flags', region: 'eu', at: new Date() }),
    db: database.drizzle,
    now: () => new Date(),
    onWritten: () => undefined,
  });
}

it('stores the audit entry with its details in the transaction of the change, and in no other', async () => {
  const { change, isWritten } = audited();
  await database.drizzle.transaction((tx) => tx.execute("insert into things values ('earlier')"));
  expect([await stored(), isWritten()]).toEqual([[], false]);
  await change.transaction(async (tx) => {
    await tx.execute("insert into things values ('a')");
    change.describe({ object: 'thing:a', after: { id: 'a' } });
  });
  expect(await stored()).toMatchObject([{ action: 'touch', object: 'thing:a', after: { id: 'a' } }]);
  expect(isWritten()).toBe(true);
});

it('stores neither the change nor its audit entry if the transaction fails, and both when it is repeated', async () => {
  const { change } = audited();
  const make = (isBroken: boolean) =>
    change.transaction(async (tx) => {
      await tx.execute("insert into things values ('a')");
      if (isBroken) throw new Error('broken');
    });
  await expect(make(true)).rejects.toThrow('broken');
  expect([await stored(), await database.sql`select * from things`]).toEqual([[], []]);
  await make(false);
  expect(await stored()).toHaveLength(1);
});

it('refuses a second transaction and details after the audit entry is written', async () => {
  const { change } = audited();
  await change.record();
  await expect(change.transaction((tx) => appendEntry(tx, '{}'))).rejects.toThrow('is written already');
  await expect(change.record()).rejects.toThrow('is written already');
  expect(() => change.describe({ reason: 'late' })).toThrow('is written already');
  expect(await stored()).toHaveLength(1);
});

it('answers 500 if the handler of an audited operation does not use its transaction', async () => {
  const test = await startTestApp();
  test.app.implement(touch, (c) => c.json({}, 200));
  const token = await test.tokens.mint({ sub: 'ops', permissions: ['service.manage'] });
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${test.url}/management/v1/touched`, { method: 'PUT', headers });
  expect(response.status).toBe(500);
  await test.stop();
});
