import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { connectionOptions } from './connect.ts';

/** A folder that drizzle-kit wrote, and the table that remembers what of it was applied. */
export interface Migrations {
  folder: string;
  /** Default `migrations`. Two folders in one database need a table each. */
  table?: string;
}

// Any number: who migrates a database of ours takes this advisory lock.
const lockId = 7_926_335_344;
const lockWithinMs = 60_000;

/**
 * Applies what is missing of a folder's migrations, all or none. Several processes may do so at once: one at a time
 * holds a lock, which the server frees should the holder's connection end. Throws after a minute's wait for it.
 */
export async function migrate(url: string, migrations: Migrations): Promise<void> {
  const common = { applicationName: 'migrate', poolSize: 1, statementTimeoutMs: 0, connectTimeoutMs: 3000 };
  const sql = postgres(url, { ...connectionOptions(common), max_lifetime: null });
  try {
    await sql.unsafe(`set lock_timeout = ${lockWithinMs}`);
    await sql`select pg_advisory_lock(${lockId})`;
    await sql.unsafe('set lock_timeout = 0');
    const table = migrations.table ?? 'migrations';
    await applyMigrations(drizzle(sql), {
      migrationsFolder: migrations.folder,
      migrationsTable: table,
      migrationsSchema: 'drizzle',
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
}
