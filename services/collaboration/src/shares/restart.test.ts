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

it('delivers to everyone once when a process is killed between two recipients', async () => {
  await harness.stopService();
  const service = await harness.spawn({ SMTP_URL: smtp.url });
  const everyone = ['ada@acme.example', 'alan@acme.example', 'grace@acme.example'];
  // The first delivery succeeds. The server then keeps the others waiting until the process is killed.
  let taken = 0;
  smtp.onRecipient = () => (taken++ === 0 ? undefined : new Promise(() => undefined));
  await share(service.url, ['ada', 'alan', 'grace']);
  await eventually(() => expect([smtp.received.length, taken]).toEqual([1, 3]));
  await eventually(async () => expect(await count('deliveries', "state = 'sent'")).toBe(3));
  await service.kill();
  smtp.onRecipient = () => undefined;
  await service.restart();
  await eventually(() => expect(smtp.received).toHaveLength(3), { withinMs: 60_000 });
  await eventually(async () => expect(await count('deliveries', "state = 'sent'")).toBe(5));
  expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(everyone);
  await eventually(async () =>
    expect(await count('pgboss.job', "state in ('created', 'retry', 'active')")).toBe(0),
  );
});
