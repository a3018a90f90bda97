import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '@switchboard/database';
import { eventually, freePort } from '@switchboard/testkit';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, type Harness, startHarness } from '../testing/harness.ts';
import { type MailServer, mailServer } from '../testing/smtp.ts';

let harness: Harness;
let smtp: MailServer;
let child: ChildProcess | undefined;
let port: number;
let folder: string;
let database: ReturnType<typeof openDatabase>;

beforeAll(async () => {
  smtp = await mailServer();
  folder = await mkdtemp(join(tmpdir(), 'switchboard-mails-'));
  harness = await startHarness({ MAIL_DIR: folder });
  port = await freePort();
  database = openDatabase({ url: harness.database.url, applicationName: 'test' });
});
afterAll(async () => {
  child?.kill('SIGKILL');
  await database.close();
  await harness.stop();
  await smtp.stop();
  await rm(folder, { recursive: true, force: true });
});

const share = async (url: string, recipients: string[]) =>
  call(
    url,
    'POST',
    '/v1/projects/shop/reports/signups/shares',
    { recipients, link: 'https://console.example/projects/shop/reports/signups', language: 'en' },
    { authorization: `Bearer ${await harness.token({ sub: 'ada' })}` },
  );

it('without a mail server, mails lie in a folder as .eml files', async () => {
  await share(harness.url, ['grace', 'alan']);
  const files = await eventually(async () => {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
    expect(names).toHaveLength(2);
    return names;
  });
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

async function start(): Promise<string> {
  child = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url))], {
    env: { ...harness.env, SMTP_URL: smtp.url, PORT: String(port), HOST: '127.0.0.1' },
    stdio: 'inherit',
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => expect((await fetch(`${url}/health/ready`)).status).toBe(200), {
    withinMs: 20_000,
  });
  return url;
}

it('a process killed between two recipients: everyone gets it, nobody twice', async () => {
  await harness.stopService();
  const url = await start();
  const everyone = ['ada@acme.example', 'alan@acme.example', 'grace@acme.example'];
  // The first goes through; the server then keeps the others waiting, and the process dies meanwhile.
  let taken = 0;
  smtp.onRecipient = () => (taken++ === 0 ? undefined : new Promise(() => undefined));
  await share(url, ['ada', 'alan', 'grace']);
  await eventually(() => expect([smtp.received.length, taken]).toEqual([1, 3]));
  await eventually(async () => expect(await count('deliveries', "state = 'sent'")).toBe(3));
  child?.kill('SIGKILL');
  smtp.onRecipient = () => undefined;
  await start();
  await eventually(() => expect(smtp.received).toHaveLength(3), { withinMs: 60_000 });
  await eventually(async () => expect(await count('deliveries', "state = 'sent'")).toBe(5));
  expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(everyone);
  expect(await count('pgboss.job', "state in ('created', 'retry', 'active')")).toBe(0);
}, 120_000);
