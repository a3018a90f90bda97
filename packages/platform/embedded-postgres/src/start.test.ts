import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { expect, it, onTestFinished } from 'vitest';
import { EmbeddedPostgresError, type PostgresOptions, startPostgres } from './index.ts';

/** Creates a folder that only its owner can enter, as `mktemp -d` does. */
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'switchboard-embedded-'));
  await chmod(path, 0o700);
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function start(options: PostgresOptions) {
  const server = await startPostgres(options);
  onTestFinished(() => server.stop());
  return server;
}

async function query(url: string, text: string) {
  const sql = postgres(url, { max: 1, connect_timeout: 2, onnotice: () => undefined });
  try {
    return await sql.unsafe(text);
  } finally {
    await sql.end();
  }
}

/** Returns the message of the EmbeddedPostgresError, which has one line. */
async function refusal(options: PostgresOptions): Promise<string> {
  const error = await start(options).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(EmbeddedPostgresError);
  const { message } = error as EmbeddedPostgresError;
  expect(message).not.toContain('\n');
  return message;
}

it('keeps data and password from one start to the next, and refuses a wrong password', async () => {
  const directory = await folder();
  const first = await start({ directory, databases: ['app'] });
  await query(first.url('app'), 'create table kept as select 1 as id');
  await first.stop();
  const second = await start({ directory, databases: ['app', 'other'] });
  expect(await query(second.url('app'), 'select id from kept')).toEqual([{ id: 1 }]);
  expect(await query(second.url('other'), 'select 1 as one')).toEqual([{ one: 1 }]);
  await second.createDatabase('third');
  await second.createDatabase('third');
  expect(await query(second.url('third'), 'select 1 as one')).toEqual([{ one: 1 }]);
  expect((await stat(join(directory, 'password'))).mode & 0o777).toBe(0o600);
  const stranger = new URL(second.url('app'));
  stranger.password = 'wrong';
  await expect(query(stranger.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
});

it('starts PostgreSQL 18 with UTF-8, durable by default', async () => {
  const server = await start({ directory: await folder() });
  const show = (name: string) => query(server.url('postgres'), `show ${name}`);
  expect(await show('server_version')).toMatchObject([{ server_version: expect.stringMatching(/^18\./) }]);
  expect(await show('server_encoding')).toEqual([{ server_encoding: 'UTF8' }]);
  expect(await show('fsync')).toEqual([{ fsync: 'on' }]);
  const quick = await start({ directory: await folder(), durable: false });
  expect(await query(quick.url('postgres'), 'show fsync')).toEqual([{ fsync: 'off' }]);
});

it('restarts on its port when the server is killed', async () => {
  const directory = await folder();
  const server = await start({ directory });
  const pid = Number((await readFile(join(directory, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  await query(server.url('postgres'), 'create table kept as select 1 as id');
  process.kill(pid, 'SIGKILL');
  await untilAnswered(() => query(server.url('postgres'), 'select id from kept'));
});

it('refuses a second instance on the folder, even from the same process, and keeps the first running', async () => {
  const directory = await folder();
  const server = await start({ directory });
  expect(await refusal({ directory })).toBe(
    `Another instance (process ${process.pid}) already runs PostgreSQL in ${directory}.`,
  );
  expect(await query(server.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
});

it.each([
  ['together with the server', false],
  ['and the server is not', true],
])('starts after the process that ran it was killed %s', async (_, leave) => {
  const directory = await folder();
  const { child, url } = await supervisor(directory);
  expect(await refusal({ directory })).toContain(`process ${child.pid}`);
  await query(url, 'create table kept as select 1 as id');
  const file = join(directory, 'data', 'postmaster.pid');
  const postmaster = Number((await readFile(file, 'utf8')).split('\n')[0]);
  // A stopped process does not handle the signal that it receives when its supervisor ends.
  if (leave) process.kill(postmaster, 'SIGSTOP');
  child.kill('SIGKILL');
  await new Promise((resolve) => child.on('close', resolve));
  const server = await start({ directory });
  expect(await query(server.url('app'), 'select id from kept')).toEqual([{ id: 1 }]);
});

it('starts only one of several instances that start at the same time', async () => {
  const directory = await folder();
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => start({ directory })));
  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
});

it('starts over when the first start was interrupted', async () => {
  const directory = await folder();
  await mkdir(join(directory, 'data.new'));
  await writeFile(join(directory, 'data.new', 'PG_VERSION'), '18\n');
  await writeFile(join(directory, 'password'), 'of the first start\n');
  const server = await start({ directory });
  expect(await query(server.url('postgres'), 'select 1 as one')).toEqual([{ one: 1 }]);
});

it('reports that the port is taken', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as { port: number };
  expect(await refusal({ directory: await folder(), port })).toMatch(`Port ${port} of 127.0.0.1 is taken.`);
});

it('reports problems with the data', async () => {
  const directory = await folder();
  await (await start({ directory })).stop();
  await writeFile(join(directory, 'data', 'PG_VERSION'), '16\n');
  expect(await refusal({ directory })).toMatch(`${directory} holds data of PostgreSQL 16`);
  await writeFile(join(directory, 'data', 'PG_VERSION'), '18\n');
  await rm(join(directory, 'data', 'global', 'pg_control'));
  expect(await refusal({ directory })).toMatch(`The data in ${directory} is damaged: `);
  await rm(join(directory, 'password'));
  expect(await refusal({ directory })).toMatch('password is missing');
});

it('leaves a folder with other data unchanged', async () => {
  const directory = await folder();
  await mkdir(join(directory, 'data'));
  await writeFile(join(directory, 'data', 'letters.txt'), 'mine');
  expect(await refusal({ directory })).toMatch('is not empty and holds no PostgreSQL data');
  expect(await readFile(join(directory, 'data', 'letters.txt'), 'utf8')).toBe('mine');
});

it('reports that the folder is not writable', async () => {
  const directory = await folder();
  await writeFile(join(directory, 'file'), '');
  expect(await refusal({ directory: join(directory, 'file', 'inside') })).toMatch('Cannot use the folder');
  // Root can write everywhere.
  if (process.getuid?.() === 0) return;
  await chmod(directory, 0o500);
  expect(await refusal({ directory })).toMatch('Cannot use the folder');
});

async function supervisor(directory: string): Promise<{ child: ChildProcess; url: string }> {
  const program = fileURLToPath(new URL('./supervisor.fixture.ts', import.meta.url));
  const child = spawn(process.execPath, [program, directory, 'app'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const url of createInterface({ input: child.stdout })) return { child, url };
  throw new Error('the supervisor ended');
}

async function untilAnswered(ask: () => Promise<unknown>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const error = await ask().then(
      () => undefined,
      (caught: unknown) => caught,
    );
    if (error === undefined) return;
    if (attempt === 100) throw error;
    await sleep(100);
  }
}
