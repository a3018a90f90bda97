import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Account, command } from './account.ts';
import { cleanEnvironment } from './cluster.ts';
import { EmbeddedPostgresError, explain } from './errors.ts';
import type { Programs } from './programs.ts';

export interface Server {
  port: number;
  /** Resolves when the server has ended. */
  exited: Promise<void>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  directory: string;
  data: string;
  programs: Programs;
  account: Account;
  durable: boolean;
  onLog: (line: string) => void;
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  // The path of a Unix socket is limited to 107 bytes, and many project folders have longer paths.
  unix_socket_directories: '',
  max_connections: '400',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Failed statements are reported to the caller. The log is for the server itself.
  log_min_messages: 'log',
};
const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
};
const READY_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 10_000;

/** Starts the server and waits until it accepts connections. */
export async function startServer(options: ServerOptions, port: number): Promise<Server> {
  const { directory, data, account } = options;
  const chosen = Object.entries({ ...SETTINGS, ...(options.durable ? {} : NOT_DURABLE) });
  const flags = [
    '-D',
    data,
    '-p',
    String(port),
    ...chosen.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const { program, args, owner } = await command(account, options.programs.postgres, flags, [data]);
  // Runs in a separate session, so that Ctrl-C does not end the database before the services.
  const child = spawn(program, args, {
    ...owner,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: cleanEnvironment(),
    detached: true,
  });
  const recent: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    recent.push(line);
    if (recent.length > 50) recent.shift();
    options.onLog(line);
  });
  let running = true;
  const exited = new Promise<void>((resolve) => {
    const end = (line: string) => {
      if (line !== '') recent.push(line);
      running = false;
      resolve();
    };
    child.on('error', (error) => end(error.message)).on('close', () => end(''));
  });

  async function stop(): Promise<void> {
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      if (!running) return;
      child.kill(signal);
      await Promise.race([exited, sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
    }
  }

  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await isReady(data, child.pid))) {
    if (!running) throw explain(recent.join('\n'), { directory, port });
    if (performance.now() > deadline) {
      await stop();
      throw new EmbeddedPostgresError(
        `PostgreSQL in ${directory} is not ready after ${READY_WITHIN_MS / 1000} s.`,
      );
    }
    await sleep(15);
  }
  return { port, exited, stop };
}

/**
 * Checks readiness as pg_ctl does: the eighth line of postmaster.pid says whether the server accepts
 * connections.
 */
async function isReady(data: string, pid: number | undefined): Promise<boolean> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}

/** Returns a port of 127.0.0.1 that is currently free. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.on('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  return address.port;
}
