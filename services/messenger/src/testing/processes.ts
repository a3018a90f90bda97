import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort } from '@switchboard/testkit';
import { Redis } from 'ioredis';

/** A server of one test's own, to be paused, killed and started again. */
export interface OwnServer {
  url: string;
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  start(): Promise<void>;
}

interface ServerPlan {
  program: string;
  args: (port: number, folder: string) => string[];
  /** Throws until the server answers. */
  check: (port: number) => Promise<unknown>;
  scheme: string;
}

const gateway = join(
  process.env['SWITCHBOARD_BACKINGS'] || join(homedir(), '.cache', 'switchboard-backings'),
  'bin/versitygw',
);

export const s3Keys = {
  S3_ACCESS_KEY: 'switchboard',
  S3_SECRET_KEY: 'switchboard-secret',
  S3_BUCKET: 'bucket',
  S3_REGION: 'eu-central-1',
};

/** Undefined where it is not installed; with REQUIRE_BACKINGS=1 that is an error. */
export function ownS3() {
  return startServer(existsSync(gateway), {
    program: gateway,
    args: (port, folder) => [
      ...['--access', s3Keys.S3_ACCESS_KEY, '--secret', s3Keys.S3_SECRET_KEY, '--region', s3Keys.S3_REGION],
      ...['--port', `127.0.0.1:${port}`, '--health', '/health', 'posix', folder],
    ],
    check: async (port) => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/health`);
      if (!ok) throw new Error('not healthy');
    },
    scheme: 'http',
  });
}

export function ownRedis() {
  const program = ['/usr/bin/redis-server', '/usr/local/bin/redis-server'].find((path) => existsSync(path));
  return startServer(program !== undefined, {
    program: program ?? '',
    args: (port, folder) => ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder],
    check: async (port) => {
      const redis = new Redis(port, { lazyConnect: true, retryStrategy: () => null });
      redis.on('error', () => undefined);
      await redis.connect();
      redis.disconnect();
    },
    scheme: 'redis',
  });
}

async function startServer(
  isInstalled: boolean,
  plan: ServerPlan,
): Promise<(OwnServer & AsyncDisposable) | undefined> {
  if (!isInstalled) {
    if (process.env['REQUIRE_BACKINGS'] !== '1') return undefined;
    throw new Error('a backing is not installed and REQUIRE_BACKINGS=1: run deploy/backings/install.sh');
  }
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-backing-'));
  await mkdir(join(folder, s3Keys.S3_BUCKET));
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    child = spawn(plan.program, plan.args(port, folder), { stdio: 'ignore' });
    await eventually(() => plan.check(port));
  }

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGKILL');
    await ended;
  }

  await start();
  return {
    url: `${plan.scheme}://127.0.0.1:${port}`,
    start,
    kill,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
