import type { ChildProcess } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { backing } from './backing.ts';
import { eventually } from './eventually.ts';
import { freePort } from './ports.ts';
import { killNow, spawnTied } from './tied.ts';

/** A Redis of one test's own, to be paused, killed and started again. It keeps nothing on disk. */
export interface RedisServer {
  url: string;
  /** SIGSTOP: it takes connections and says nothing. */
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  /** Starts again on the same port, empty. */
  restart(): Promise<void>;
}

/** Undefined where no `redis-server` is installed; with REQUIRE_BACKINGS=1 that is an error. */
export async function startRedis(): Promise<RedisServer | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'switchboard-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server: ChildProcess | undefined;

  async function start(): Promise<void> {
    const options = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
    const child = spawnTied(directory, 'redis-server', options);
    server = child;
    await eventually(async () => {
      if (child.exitCode === null) await answers(url);
    });
    if (child.exitCode !== null)
      throw new Error('redis-server does not start: run deploy/backings/install.sh redis');
  }

  try {
    await start();
  } catch (error) {
    if (process.env['REQUIRE_BACKINGS'] === '1') throw error;
    return undefined;
  }
  return {
    url,
    pause: () => void server?.kill('SIGSTOP'),
    resume: () => void server?.kill('SIGCONT'),
    async kill() {
      const child = server;
      server = undefined;
      await killNow(child);
    },
    restart: start,
  };
}

/** The Redis that tests share, with keys of their own: REDIS_URL, else one started for this process. */
export function redisUrl(): Promise<string | undefined> {
  shared ??= find();
  return shared;
}

let shared: Promise<string | undefined> | undefined;

async function find(): Promise<string | undefined> {
  if (process.env['REDIS_URL']) return process.env['REDIS_URL'];
  return (await startRedis())?.url ?? backing('REDIS_URL');
}

async function answers(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}
