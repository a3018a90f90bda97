import { existsSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@switchboard/contracts';
import postgres from 'postgres';
import { z } from 'zod';
import { REPOSITORY } from '../harness/repository.ts';

const SERVICES = join(REPOSITORY, 'services');

const journal = z.looseObject({
  entries: z.array(z.looseObject({ idx: z.int(), when: z.number(), tag: z.string() })),
});

/**
 * Writes a folder with the next version of the services: the same code, plus one migration for each service that has
 * migrations. The migration adds a column to every table, a table and an index. `databaseUrl` returns the databases
 * of the running version.
 */
export async function writeNextVersion(
  folder: string,
  services: ServiceName[],
  databaseUrl: (service: ServiceName) => string,
): Promise<void> {
  await Promise.all(
    services.map(async (service) => {
      const source = join(SERVICES, service);
      const target = join(folder, service);
      for (const part of ['package.json', 'src'])
        await cp(join(source, part), join(target, part), { recursive: true });
      await symlink(join(source, 'node_modules'), join(target, 'node_modules'));
      // Ingestion has no migrations.
      if (!existsSync(join(source, 'migrations'))) return;
      await cp(join(source, 'migrations'), join(target, 'migrations'), { recursive: true });
      await addMigration(join(target, 'migrations'), await tablesOf(databaseUrl(service)));
    }),
  );
}

async function tablesOf(url: string): Promise<string[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const rows = await sql<{ name: string }[]>`
      select oid::regclass::text as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`;
    return rows.map(({ name }) => name);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function addMigration(folder: string, tables: string[]): Promise<void> {
  const path = join(folder, 'meta/_journal.json');
  const before = journal.parse(JSON.parse(await readFile(path, 'utf8')));
  const idx = before.entries.length;
  const tag = `${String(idx).padStart(4, '0')}_next_version`;
  const when = Math.max(0, ...before.entries.map((entry) => entry.when)) + 1;
  const entries = [...before.entries, { idx, version: '7', when, tag, breakpoints: true }];
  const statements = [
    ...tables.map((table) => `ALTER TABLE ${table} ADD COLUMN next_version text DEFAULT 'next';`),
    'CREATE TABLE next_version (id text PRIMARY KEY, at timestamptz);',
    'CREATE INDEX next_version_at ON next_version (at);',
  ];
  await writeFile(join(folder, `${tag}.sql`), statements.join('\n--> statement-breakpoint\n'));
  await writeFile(path, JSON.stringify({ ...before, entries }));
}

/** Returns whether the migration of the next version was applied to a database. */
export async function isNextVersion(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const [row] = await sql`select to_regclass('public.next_version') is not null as found`;
    return row?.['found'] === true;
  } finally {
    await sql.end({ timeout: 5 });
  }
}
