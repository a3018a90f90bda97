import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnProgram } from '../harness/program.ts';
import { freePort } from '../ports.ts';
import { backingsHome } from './backing.ts';

/** A ClickHouse server for one test, which can pause, kill and restart it. */
export interface ClickHouseServer {
  /** The URL with user, password and database. */
  url: string;
  /** Sends SIGSTOP: the server accepts connections but does not respond. */
  pause(): void;
  resume(): void;
  /** Sends SIGKILL. The data stays. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  /** Stops it and removes the data. */
  stop(): Promise<void>;
}

const SERVER = fileURLToPath(new URL('../../../../../deploy/backings/clickhouse/server.py', import.meta.url));
const USER = 'switchboard';
const PASSWORD = 'switchboard-secret';

/**
 * Starts the ClickHouse that `deploy/backings/install.sh` installed. Returns undefined if it is not installed; with
 * REQUIRE_BACKINGS=1 that is an error.
 */
export async function startClickHouse(): Promise<ClickHouseServer | undefined> {
  const home = join(backingsHome(), 'clickhouse');
  if (!existsSync(join(home, '.complete'))) {
    if (process.env['REQUIRE_BACKINGS'] !== '1') return undefined;
    throw new Error(`ClickHouse is not installed in ${home}: run deploy/backings/install.sh clickhouse`);
  }
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-clickhouse-'));
  const port = await freePort();
  const options = ['--folder', directory, '--port', String(port), '--user', USER, '--password', PASSWORD];
  const server = await spawnProgram({
    command: [join(home, 'bin', 'python'), SERVER, ...options],
    scratch: directory,
    port,
    ready: '/ping',
  });
  return {
    url: `http://${USER}:${PASSWORD}@127.0.0.1:${port}/default`,
    pause: () => server.signal('SIGSTOP'),
    resume: () => server.signal('SIGCONT'),
    kill: async () => void (await server.kill()),
    restart: () => server.restart(),
    async stop() {
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A ClickHouse database for one test file. */
export interface ClickHouseDatabase {
  /** The URL with user, password and database. */
  url: string;
  /** Returns the rows of a query. */
  query(query: string): Promise<Record<string, unknown>[]>;
  drop(): Promise<void>;
}

/**
 * Creates a database on the ClickHouse that tests share: CLICKHOUSE_URL, or else a server that is started for this
 * process. Returns undefined if none exists; with REQUIRE_BACKINGS=1 that is an error.
 */
export async function clickHouseDatabase(): Promise<ClickHouseDatabase | undefined> {
  shared ??= find();
  const server = await shared;
  if (server === undefined) return undefined;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    async query(query) {
      const lines = await run(server, query, { database: name, default_format: 'JSONEachRow' });
      return lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    },
    drop: async () => void (await run(server, `drop database if exists ${name} sync`)),
  };
}

let shared: Promise<string | undefined> | undefined;

async function find(): Promise<string | undefined> {
  return process.env['CLICKHOUSE_URL'] || (await startClickHouse())?.url;
}

async function run(server: string, query: string, settings: Record<string, string> = {}): Promise<string> {
  const { origin, username, password } = new URL(server);
  const Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const address = `${origin}/?${new URLSearchParams(settings)}`;
  const answer = await fetch(address, { method: 'POST', body: query, headers: { Authorization } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${query}: ${text}`);
  return text;
}
