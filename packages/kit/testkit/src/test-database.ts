import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate } from 'drizzle-orm/postgres-js/migrator';
import postgres from 'postgres';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** The server on which tests create databases. */
    postgresUrl: string;
    /** Files that test files share. Removed after the run. */
    runFolder: string;
  }
}

/**
 * A folder of drizzle-kit, and the table that records the applied migrations (see `migrate` of the database package).
 */
export interface TestMigrations {
  folder: string;
  table?: string;
}

export interface TestDatabaseOptions {
  /** The migrations, applied in this order. Default: none. */
  migrations?: readonly TestMigrations[];
  /** A server on which databases may be created. Default: the one of the test run. */
  server?: string;
}

export interface TestDatabase {
  url: string;
  /** Closes the connections that are still open. */
  drop(): Promise<void>;
}

const TEMPLATE_LOCK = 7_926_335_345;

/**
 * Creates a database with the migrations applied, as a copy of a template that is created once for each content of
 * the migration folders. Test files may run in parallel.
 */
export async function testDatabase({
  migrations = [],
  server = inject('postgresUrl'),
}: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdmin(server, async (sql) => {
    const template = await ensureTemplate(sql, server, migrations);
    await sql`create database ${sql(name)} template ${sql(template)}`;
  });
  return {
    url: urlOf(server, name),
    drop: () =>
      asAdmin(server, async (sql) => void (await sql`drop database if exists ${sql(name)} with (force)`)),
  };
}

async function ensureTemplate(
  sql: postgres.Sql,
  server: string,
  migrations: readonly TestMigrations[],
): Promise<string> {
  if (migrations.length === 0) return 'template0';
  const template = `template_${await contentOf(migrations)}`;
  await sql`select pg_advisory_lock(${TEMPLATE_LOCK})`;
  const [existing] = await sql`select 1 from pg_database where datname = ${template}`;
  if (!existing) {
    // Renamed when complete, so that an interrupted run does not leave an incomplete template.
    const unfinished = `unfinished_${template}`;
    await sql`drop database if exists ${sql(unfinished)} with (force)`;
    await sql`create database ${sql(unfinished)} template template0`;
    await applyAll(urlOf(server, unfinished), migrations);
    await sql`alter database ${sql(unfinished)} rename to ${sql(template)}`;
  }
  await sql`select pg_advisory_unlock(${TEMPLATE_LOCK})`;
  return template;
}

async function applyAll(url: string, migrations: readonly TestMigrations[]): Promise<void> {
  const sql = connect(url);
  try {
    for (const { folder, table = 'migrations' } of migrations) {
      const place = { migrationsTable: table, migrationsSchema: 'drizzle' };
      await migrate(drizzle(sql), { migrationsFolder: folder, ...place });
    }
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function contentOf(migrations: readonly TestMigrations[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { folder, table } of migrations) {
    hash.update(`table ${table ?? ''}\n`);
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
    for (const path of paths.sort())
      hash.update(`${path.slice(folder.length)}\n`).update(await readFile(path));
  }
  return hash.digest('hex').slice(0, 24);
}

async function asAdmin(server: string, work: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const sql = connect(server);
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function connect(url: string): postgres.Sql {
  return postgres(url, { max: 1, fetch_types: false, onnotice: () => undefined });
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}
