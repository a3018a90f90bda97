import { MEMBERSHIPS_TOPIC } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { openPostgresLog, readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type IdentityHarness, startIdentity } from '../testing/harness.ts';
import { createMemberships } from './memberships.ts';

let identity: IdentityHarness;
beforeAll(async () => {
  identity = await startIdentity();
});
afterAll(() => identity.stop());

it('publishes the changes of a member in order, each with a greater revision', async () => {
  const database = openDatabase({
    url: await identity.harness.databaseUrl('identity'),
    applicationName: 'test',
  });
  const log = openPostgresLog({ url: identity.harness.logUrl });
  const memberships = createMemberships();
  const ada = { companyId: 'acme', sub: 'usr_1', name: 'Ada', email: 'ada@acme.example', role: undefined };
  const published: { key: string | null; value: unknown; revision: bigint }[] = [];
  const read = async (count: number) => {
    await eventually(async () => {
      published.length = 0;
      await readTopic(log, MEMBERSHIPS_TOPIC, {
        onRecord: ({ key, value, headers }) =>
          published.push({
            key,
            value: value && JSON.parse(String(value)),
            revision: BigInt(headers['revision'] ?? 0),
          }),
      });
      expect(published).toHaveLength(count);
    });
  };
  await database.drizzle.transaction((tx) => memberships.set(tx, ada));
  await read(1);
  await database.drizzle.transaction((tx) => memberships.remove(tx, ada));
  await read(2);
  const { role: _, ...record } = ada;
  expect(published.map(({ key, value }) => [key, value])).toEqual([
    ['["acme","usr_1"]', record],
    ['["acme","usr_1"]', null],
  ]);
  expect((published[1]?.revision ?? 0n) > (published[0]?.revision ?? 0n)).toBe(true);
  await log.close();
  await database.close();
});
