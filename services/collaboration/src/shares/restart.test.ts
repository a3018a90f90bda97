import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDatabase } from '@switchboard/database';
import { type MailServer, mailServer } from '@switchboard/mail/testing';
import { eventually } from '@switchboard/testkit';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, type Harness, startHarness } from '../testing/harness.ts';

let harness: Harness;
let smtp: MailServer;
let folder: string;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  smtp = await mailServer();
  folder = join(await mkdtemp(join(tmpdir(), 'switchboard-mails-')), 'mails');
  harness = await startHarness({ MAIL_DIR: folder });
  database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await harness.stop();
  await smtp.stop();
  await rm(dirname(folder), { recursive: true, force: true });
});

const share = async (url: string, recipients: string[]) =>
  call(
    url,
    'POST',
    '/v1/projects/shop/reports/signups/shares',
    { recipients, link: 'https://console.example/projects/shop/reports/signups', language: 'en' },
    { authorization: `Bearer ${await harness.token({ sub: 'ada' })}` },
  );

it('writes mails as .eml files that only their owner can read when there is no mail server', async () => {
  await share(harness.url, ['grace', 'alan']);
  const files = await eventually(async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
    expect(names).toHaveLength(2);
    return names;
  });
  const modes = await Promise.all(
    [folder, ...files.map((name) => join(folder, name))].map(async (path) => (await stat(path)).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600, 0o600]);
  const mails = await Promise.all(
    files.map(async (name) => PostalMime.parse(await readFile(join(folder, name)))),
  );
  expect(mails.map(({ to }) => to?.[0]?.address).sort()).toEqual(['alan@acme.example', 'grace@acme.example']);
  expect(mails[0]?.subject).toBe('Ada Lovelace shared “Weekly sign-ups” with you');
});

async function count(table: string, where: string): Promise<number> {
  const [row] = await database.sql.unsafe(`select count(*) from ${table} where ${where}`);
  return Number(row?.['count']);
}

/** Sends a subscription to two members. */
async function sendSubscription(url: string): Promise<void> {
  const authorization = `Bearer ${await harness.token({ sub: 'ada', permissions: ['service.manage'] })}`;
  const project = '/management/v1/projects/shop';
  const ask = async (method: string, path: string, body?: object) =>
    expect((await call(url, method, project + path, body, { authorization })).status).toBeLessThan(300);
  await ask('POST', '/reports/signups/runs', { report: { rows: [] } });
  await ask('PUT', '/subscriptions/weekly', {
    target: { kind: 'report', id: 'signups' },
    schedule: { every: 'week', on: 1, at: '08:30', timeZone: 'Europe/Berlin' },
    recipients: ['alan', 'grace'],
  });
  await ask('POST', '/subscriptions/weekly/send');
}

it('delivers to everyone once when a process is killed between two recipients', async () => {
  await harness.stopService();
  const service = await harness.spawn({ SMTP_URL: smtp.url });
  const everyone = ['ada@acme.example', 'alan@acme.example', 'grace@acme.example'];
  // The first delivery succeeds. The server then keeps the others waiting until the process is killed.
  let taken = 0;
  smtp.onRecipient = () => (taken++ === 0 ? undefined : new Promise(() => undefined));
  await share(service.url, ['ada', 'alan', 'grace']);
  await sendSubscription(service.url);
  await eventually(() => expect([smtp.received.length, taken]).toEqual([1, 5]));
  await eventually(async () => expect(await count('deliveries', "state = 'sent'")).toBe(3));
  await service.kill();
  smtp.onRecipient = () => undefined;
  await service.restart();
  await eventually(() => expect(smtp.received).toHaveLength(5), { withinMs: 60_000 });
  await eventually(async () => expect(await count('deliveries', "state = 'sent'")).toBe(5));
  const to = (text: string) =>
    smtp.received.filter(({ mail }) => mail.text?.includes(text)).flatMap((mail) => mail.to);
  expect(to('shared the report').sort()).toEqual(everyone);
  expect(to('subscribed').sort()).toEqual(everyone.slice(1));
  await eventually(async () =>
    expect(await count('pgboss.job', "state in ('created', 'retry', 'active')")).toBe(0),
  );
});
