import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { chooseAccount } from './account.ts';
import { ensureCluster, SUPERUSER } from './cluster.ts';
import { EmbeddedPostgresError, explainError } from './errors.ts';
import { lockFolder, stopOrphan } from './folder-lock.ts';
import { findPrograms } from './programs.ts';
import { freePort, type Server, type ServerOptions, startServer } from './server.ts';
import { supervise } from './supervise.ts';

export interface PostgresOptions {
  /** The folder of the data, created if it does not exist. Only one process at a time can use it. */
  directory: string;
  /** The port on 127.0.0.1. Default: a free one. */
  port?: number;
  /** The databases to create if they do not exist. */
  databases?: string[];
  /** Whether commits are synced to disk. Default: true. Tests set it to false. */
  durable?: boolean;
  /** Called with each line of the server's log. */
  onLog?: (line: string) => void;
}

/** A running PostgreSQL. */
export interface RunningPostgres {
  port: number;
  /** The connection string of a database, with the password. */
  url(database: string): string;
  /** Creates a database if it does not exist. */
  createDatabase(name: string): Promise<void>;
  /** Closes every connection and shuts down within 30 s. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL 18 on a folder in about a second. Restarts it on the same port if it ends unexpectedly. If root
 * starts it, it runs as another account (see account.ts).
 *
 * Throws EmbeddedPostgresError with a one-line reason: the folder is in use, not writable, damaged or of another
 * version; the port is in use; the disk is full; there is no PostgreSQL for this machine.
 */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const place = {
    directory: options.directory,
    ...(options.port === undefined ? {} : { port: options.port }),
  };
  const undo: (() => Promise<void>)[] = [];
  try {
    const programs = await findPrograms();
    await mkdir(options.directory, { recursive: true });
    const directory = await realpath(options.directory);
    const data = join(directory, 'data');
    const lock = await lockFolder(directory);
    undo.push(lock.release);
    await stopOrphan(data);
    const account = await chooseAccount(data);
    const { durable = true, onLog = () => undefined } = options;
    const cluster = { directory, data, programs, account, durable, onLog };
    const password = await ensureCluster(cluster);
    const server = await startOnPort(cluster, options.port);
    const supervisor = supervise(server, () => startServer(cluster, server.port), onLog);
    undo.unshift(supervisor.stop);
    const url = (database: string) =>
      `postgres://${SUPERUSER}:${password}@127.0.0.1:${server.port}/${encodeURIComponent(database)}`;
    await createDatabases(url('postgres'), directory, options.databases ?? []);
    return {
      port: server.port,
      url,
      createDatabase: (name) => createDatabases(url('postgres'), directory, [name]),
      stop: () => runAll(undo),
    };
  } catch (error) {
    await runAll(undo);
    throw explainError(error, place);
  }
}

async function runAll(steps: (() => Promise<void>)[]): Promise<void> {
  for (const step of steps) await step();
}

async function startOnPort(options: ServerOptions, port: number | undefined): Promise<Server> {
  if (port !== undefined) return await startServer(options, port);
  // Another program may take the free port before PostgreSQL does.
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      return await startServer(options, await freePort());
    } catch (error) {
      if (!(error instanceof EmbeddedPostgresError && error.message.includes('is taken'))) throw error;
    }
  }
  return await startServer(options, await freePort());
}

async function createDatabases(url: string, directory: string, names: string[]): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined, connect_timeout: 10, fetch_types: false });
  try {
    const rows = await sql<{ datname: string }[]>`select datname from pg_database`;
    const existing = new Set(rows.map((row) => row.datname));
    for (const name of names) if (!existing.has(name)) await sql`create database ${sql(name)}`;
  } catch (error) {
    const code = error instanceof postgres.PostgresError ? error.code : undefined;
    if (code === '28P01') {
      throw new EmbeddedPostgresError(`The password in ${directory} does not match its data.`);
    }
    if (code !== '42P04' && code !== '23505') throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}
