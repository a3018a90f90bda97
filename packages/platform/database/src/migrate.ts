import { Socket } from 'node:net';
import { retry } from '@switchboard/resilience';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { connectionOptions } from './connect.ts';
import { createSockets } from './sockets.ts';

/** A drizzle-kit folder and the table that records its applied migrations. */
export interface Migrations {
  folder: string;
  /** The table in the schema `drizzle`. Default: `migrations`. Two folders in one database need a table each. */
  table?: string;
}

// An arbitrary number for the advisory lock of all migrations.
const LOCK_ID = 7_926_335_344;
const LOCK_WITHIN_MS = 60_000;
const SCHEMA = 'drizzle';

// While a schema change waits for its lock, every other query on the table waits behind it. It gives up before that
// is noticeable, and before PostgreSQL checks for deadlocks (after a second), since a request might be the victim.
const TABLE_LOCK_WITHIN_MS = 250;
const TABLES_WITHIN_MS = 60_000;

/**
 * Applies the pending migrations of a folder, all or none. Concurrent processes take turns with a lock that ends with
 * the holder's connection. A migration that has to wait for a table gives up quickly and is retried. Throws after a
 * minute's wait for either, when the connection is lost, and when a migration was skipped because a later one had
 * already been applied.
 *
 * With the address of another role, that role migrates and owns the objects, and the role of `url` gets the rights to
 * read and write rows.
 */
export async function migrate(
  url: string,
  { folder, table = 'migrations' }: Migrations,
  ownerUrl = url,
): Promise<void> {
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  const common = { applicationName: 'migrate', poolSize: 1, statementTimeoutMs: 0, connectTimeoutMs: 3000 };
  const sql = postgres(ownerUrl, {
    ...connectionOptions(common),
    max_lifetime: null,
    ...{ socket: openOnce() },
  });
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
        `The migration of ${new Date(missing.folderMillis).toISOString()} in ${folder} was not applied: the database has a later one. Generate it again, so that it is the last one.`,
      );
    }
    await grantRows(sql, roleOf(url));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

const roleOf = (url: string): string => decodeURIComponent(new URL(url).username);

/**
 * Lets a role read and write the rows of every table, and nothing else. Repeated at every start, to cover tables that
 * were restored or created without it.
 */
async function grantRows(sql: postgres.Sql, role: string): Promise<void> {
  const schemas = await sql<{ name: string }[]>`
    select nspname as name from pg_namespace
    where ${role} not in ('', current_user) and nspname not in (${SCHEMA}, 'information_schema')
      and not starts_with(nspname, 'pg_')`;
  for (const { name } of schemas) {
    await sql`grant usage on schema ${sql(name)} to ${sql(role)}`;
    await sql`grant select, insert, update, delete on all tables in schema ${sql(name)} to ${sql(role)}`;
    await sql`grant usage on all sequences in schema ${sql(name)} to ${sql(role)}`;
  }
}

/** Retries a migration that did not get its locks. It is one transaction, so it has changed nothing. */
function untilUnlocked(apply: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + TABLES_WITHIN_MS;
  const isRetryable = (error: unknown) => isLocked(error) && performance.now() <= deadline;
  return retry(apply, { isRetryable, maxMs: 1_000 });
}

/** Whether the error is an unavailable lock or a deadlock. */
function isLocked(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && (error.code === '55P03' || error.code === '40P01')) return true;
  return isLocked(error.cause);
}

/** Opens one connection without reconnecting. A new connection would run the rest without the lock. */
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
