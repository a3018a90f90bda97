import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { spawnProgram } from '../harness/program.ts';
import { freePort } from '../ports.ts';
import { backing } from './backing.ts';
import { startContainer, wantsContainers } from './container.ts';

/** A Redis server for one test, which can pause, kill and restart it. It stores nothing on disk. */
export interface RedisServer {
  url: string;
  /** Sends SIGSTOP: the server accepts connections but does not respond. */
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  /** Starts it on the same port, without data. */
  restart(): Promise<void>;
}

/**
 * Starts a server. Returns undefined if `redis-server` is not installed; with REQUIRE_BACKINGS=1 that is an error.
 */
export async function startRedis(): Promise<RedisServer | undefined> {
  const scratch = await mkdtemp(join(tmpdir(), 'switchboard-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const options = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
  try {
    const server = await spawnProgram({
      command: ['redis-server', ...options],
      scratch,
      port,
      ready: () => ping(url),
      readyWithinMs: 10_000,
    });
    return {
      url,
      pause: () => server.signal('SIGSTOP'),
      resume: () => server.signal('SIGCONT'),
      kill: async () => void (await server.kill()),
      restart: () => server.restart(),
    };
  } catch (error) {
    if (process.env['REQUIRE_BACKINGS'] !== '1') return undefined;
    throw new Error('redis-server does not start: run deploy/backings/install.sh redis', { cause: error });
  }
}

/**
 * Returns the Redis that tests share, each with its own keys: REDIS_URL, or else one that is started for this
 * process, on request in a container.
 */
export function redisUrl(): Promise<string | undefined> {
  shared ??= find();
  return shared;
}

let shared: Promise<string | undefined> | undefined;

async function find(): Promise<string | undefined> {
  if (process.env['REDIS_URL']) return process.env['REDIS_URL'];
  if (wantsContainers()) return redisContainer();
  return (await startRedis())?.url ?? backing('REDIS_URL');
}

async function redisContainer(): Promise<string> {
  const port = await startContainer({
    image: 'redis:7.4-alpine',
    port: 6379,
    command: ['redis-server', '--save', '', '--appendonly', 'no'],
    ready: (wait) => wait.forLogMessage(/Ready to accept connections/),
  });
  return `redis://127.0.0.1:${port}`;
}

async function ping(url: string): Promise<void> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}
