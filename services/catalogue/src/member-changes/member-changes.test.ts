import { MEMBERSHIPS_TOPIC, membershipKey, type Role } from '@switchboard/contracts';
import { type EventLog, openPostgresLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acme, type Instance, pro, type TestCatalogue, testCatalogue } from '../testing/harness.ts';

let catalogue: TestCatalogue;
let instance: Instance;
let log: EventLog;
let revision = 0;
beforeAll(async () => {
  catalogue = await testCatalogue();
  instance = await catalogue.instance();
  log = openPostgresLog({ url: catalogue.logUrl });
  await instance.put('/plans/pro/monthly', pro);
  await instance.put('/companies/acme', acme);
});
afterAll(async () => {
  await log.close();
  await catalogue.close();
});

/** Publishes a change of identity; without a role, the member keeps the one it has; null removes the member. */
async function change(sub: string, role?: Role | null, at = ++revision): Promise<void> {
  const record = { companyId: 'acme', sub, name: `Name of ${sub}`, email: `${sub}@acme.example`, role };
  const value = role === null ? null : Buffer.from(JSON.stringify(record));
  const key = membershipKey('acme', sub);
  await log.publish(MEMBERSHIPS_TOPIC, [{ partition: 0, key, value, headers: { revision: String(at) } }]);
}

const member = async (sub: string) => (await instance.manage('GET', `/companies/acme/members/${sub}`)).body;

/** Waits until everything published so far is applied. */
async function applied(): Promise<void> {
  await change('last', 'viewer');
  const name = `last at ${revision}`;
  await log.publish(MEMBERSHIPS_TOPIC, [
    {
      partition: 0,
      key: membershipKey('acme', 'last'),
      value: Buffer.from(JSON.stringify({ companyId: 'acme', sub: 'last', name, email: 'l@acme.example' })),
      headers: { revision: String(++revision) },
    },
  ]);
  await eventually(async () => expect(await member('last')).toMatchObject({ name }));
}

it('adds, changes and removes members, once for each revision, with an entry in the audit trail', async () => {
  await change('ada', 'owner');
  await change('grace');
  await applied();
  expect(await member('ada')).toMatchObject({ role: 'owner', name: 'Name of ada' });
  expect(await member('grace')).toMatchObject({ role: 'viewer', email: 'grace@acme.example' });

  await change('grace', 'editor');
  const before = revision;
  await change('grace');
  await applied();
  expect(await member('grace')).toMatchObject({ role: 'editor' });

  await change('grace', null);
  await change('grace', 'admin', before);
  await applied();
  expect(await member('grace')).toMatchObject({ error: { code: 'NOT_FOUND' } });
  await eventually(async () => {
    const { body } = await instance.manage('GET', '/audit?companyId=acme&limit=100');
    const deeds = body.entries.filter(({ object }: { object: string }) => object === 'member:grace');
    expect(deeds.map(({ action }: { action: string }) => action)).toContain('deleteMember');
  });
});

it('neither removes nor lowers the only owner, and goes on with the next change', async () => {
  await change('ada', 'owner');
  await change('ada', 'viewer');
  await change('ada', null);
  await change('no-company');
  await applied();
  expect(await member('ada')).toMatchObject({ role: 'owner' });
});

it('sets aside a change that cannot be stored, and goes on with the next one', async () => {
  await log.publish(
    MEMBERSHIPS_TOPIC,
    ['Ada\0', 'Ada\ud800'].map((name) => ({
      partition: 0,
      key: membershipKey('acme', 'broken'),
      value: Buffer.from(JSON.stringify({ companyId: 'acme', sub: 'broken', name, email: 'b@acme.example' })),
      headers: { revision: String(++revision) },
    })),
  );
  await applied();
  expect(await member('broken')).toMatchObject({ error: { code: 'NOT_FOUND' } });
});

it('keeps the picture and the push subscriptions of a member', async () => {
  const keys = { p256dh: 'k'.repeat(87), auth: 'a'.repeat(22) };
  const pushSubscriptions = [{ endpoint: 'https://push.example/1', keys }];
  await instance.put('/companies/acme/members/alan', {
    ...{ name: 'Alan', email: 'alan@acme.example', avatarUrl: 'https://acme.example/alan.png' },
    pushSubscriptions,
  });
  await change('alan', 'support');
  await applied();
  expect(await member('alan')).toMatchObject({
    ...{ role: 'support', avatarUrl: 'https://acme.example/alan.png' },
    pushSubscriptions: [{ endpoint: 'https://push.example/1' }],
  });
});
