import { Socket } from 'node:net';
import { retry } from '@switchboard/resilience';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { connectionOptions } from './connect.ts';
import { createSockets } from './sockets.ts';

/** A folder that drizzle-kit wrote, and the table that remembers what of it was applied. */
export interface Migrations {
  folder: string;
  /** In the schema `drizzle`; default `migrations`. Two folders in one database need a table each. */
  table?: string;
}

// Any number: who migrates a database of ours takes this advisory lock.
const LOCK_ID = 7_926_335_344;
const LOCK_WITHIN_MS = 60_000;
const SCHEMA = 'drizzle';

// While a change of a table waits for its lock, everybody else waits behind it: it gives up before they notice, and
// well before PostgreSQL looks for deadlocks (after a second), whose victim might be a request.
const TABLE_LOCK_WITHIN_MS = 250;
const TABLES_WITHIN_MS = 60_000;

/**
 * Applies what is missing of a folder's migrations, all or none. Several processes may do so at once: one at a time
 * holds a lock, which the server frees should the holder's connection end. Tables that others use are waited for a
 * moment at a time, and tried again. Throws after a minute's wait for either, when the connection is lost, and when a migration stayed out because a later one was applied before.
 */
export async function migrate(url: string, { folder, table = 'migrations' }: Migrations): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  const common = { applicationName: 'migrate', poolSize: 1, statementTimeoutMs: 0, connectTimeoutMs: 3000 };
  const sql = postgres(url, { ...connectionOptions(common), max_lifetime: null, ...{ socket: openOnce() } });
  try {
    await sql.unsafe(`set lock_timeout = ${LOCK_WITHIN_MS}`);
    await sql`select pg_advisory_lock(${LOCK_ID})`;
    await sql.unsafe(`set lock_timeout = ${TABLE_LOCK_WITHIN_MS}`);
    await untilUnlocked(() =>
      applyMigrations(drizzle(sql), {
        migrationsFolder: folder,
        migrationsTable: table,
        migrationsSchema: SCHEMA,
      }),
    );
    const rows = await sql<{ created_at: number }[]>`select created_at from ${sql(SCHEMA)}.${sql(table)}`;
    const applied = new Set(rows.map((row) => row.created_at));
    const missing = migrations.find((migration) => !applied.has(migration.folderMillis));
    if (missing) {
      throw new Error(
        `The migration of ${new Date(missing.folderMillis).toISOString()} in ${folder} was not applied: the database has a later one. Generate it again, so that it comes last.`,
      );
    }
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** A migration is one transaction: one that did not get its locks has changed nothing and may be tried again. */
function untilUnlocked(apply: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + TABLES_WITHIN_MS;
  const isRetryable = (error: unknown) => isLocked(error) && performance.now() <= deadline;
  return retry(apply, { isRetryable, maxMs: 1_000 });
}

/** Lock not available, or a deadlock. */
function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && (error.code === '55P03' || error.code === '40P01')) return true;
  return isLocked(error.cause);
}

/** The lock belongs to one connection: were postgres.js to make another one, the rest would run without it. */
function openOnce() {
  const sockets = createSockets();
  let opened = false;
  return (...address: Parameters<typeof sockets.open>): Socket => {
    if (!opened) {
      opened = true;
      return sockets.open(...address);
    }
    const refused = new Socket();
    const lost = Object.assign(new Error('The connection was lost while migrating'), {
      code: 'CONNECTION_CLOSED',
    });
    setImmediate(() => refused.destroy(lost));
    return refused;
  };
}
