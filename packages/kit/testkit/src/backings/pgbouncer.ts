import { existsSync } from 'node:fs';
import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import postgres from 'postgres';
import { spawnProgram } from '../harness/program.ts';
import { freePort } from '../ports.ts';

/** PgBouncer in front of a PostgreSQL server, for one test. */
export interface PgBouncer {
  /** The URL of a database of that server, through the pooler. */
  url: string;
  stop(): Promise<void>;
}

interface PgBouncerOptions {
  /** The URL of a database of the server, with the role of every connection to the server. */
  url: string;
  mode: 'transaction' | 'session';
  /** Connection settings that it drops instead of rejecting the connection. */
  ignores?: readonly string[];
  /** The maximum number of connections to the server. Default 4. */
  poolSize?: number;
}

/** Returns whether `pgbouncer` is installed. With REQUIRE_BACKINGS=1 it is an error if it is not. */
export function hasPgBouncer(): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  if (folders.some((folder) => existsSync(join(folder, 'pgbouncer')))) return true;
  if (process.env['REQUIRE_BACKINGS'] !== '1') return false;
  throw new Error('pgbouncer is not installed: run deploy/backings/install.sh pgbouncer');
}

export async function startPgBouncer(options: PgBouncerOptions): Promise<PgBouncer> {
  const { url, mode, ignores = [], poolSize = 4 } = options;
  const port = await freePort();
  const server = new URL(url);
  const scratch = await mkdtemp(join(tmpdir(), 'switchboard-pgbouncer-'));
  const file = join(scratch, 'pgbouncer.ini');
  const login = [
    `host=${server.hostname} port=${server.port || 5432}`,
    `user=${decodeURIComponent(server.username)} password='${decodeURIComponent(server.password)}'`,
  ];
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: mode,
    default_pool_size: poolSize,
    max_client_conn: 200,
    ignore_startup_parameters: ignores.join(','),
    // PgBouncer refuses to run as root.
    ...(process.getuid?.() === 0 ? { user: 'nobody' } : {}),
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
  await writeFile(file, ['[databases]', `* = ${login.join(' ')}`, '[pgbouncer]', ...lines, ''].join('\n'));
  await chmod(scratch, 0o755);
  const pooled = new URL(url);
  pooled.host = `127.0.0.1:${port}`;
  const program = await spawnProgram({
    command: ['pgbouncer', file],
    env: { PATH: `${process.env['PATH']}${delimiter}/usr/sbin` },
    scratch,
    port,
    ready: () => answer(pooled.href),
  });
  return { url: pooled.href, stop: async () => void (await program.kill()) };
}

async function answer(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, prepare: false, fetch_types: false, connect_timeout: 2 });
  try {
    await sql`select 1`;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
