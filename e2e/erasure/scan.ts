import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { ClickHouseDatabase } from '@switchboard/testkit';
import { parquetReadObjects } from 'hyparquet';
import postgres from 'postgres';

/** Returns the tables of a database, as `schema.table`. A partition counts as part of its table. */
export async function tablesOf(url: string): Promise<string[]> {
  const rows = await databaseAt(url)<{ name: string }[]>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
      and not (select relispartition from pg_class
        where oid = format('%I.%I', table_schema, table_name)::regclass)
    order by 1`;
  return rows.map(({ name }) => name);
}

/** Returns the tables with a column for a project or company. */
export async function tablesOfProjects(url: string): Promise<string[]> {
  const rows = await databaseAt(url)<{ name: string }[]>`
    select distinct table_schema || '.' || table_name as name from information_schema.columns
    where column_name in ('project_id', 'company_id') and table_schema = 'public' order by 1`;
  return rows.map(({ name }) => name);
}

/** Counts the rows of each table that contain the text in any column. Omits tables without such rows. */
export async function rowsWith(url: string, text: string): Promise<Record<string, number>> {
  const tables = await tablesOf(url);
  const rows = await databaseAt(url).unsafe<{ name: string; rows: number }[]>(
    tables
      .map(
        (table) =>
          `select '${table}' as name, count(*)::int as rows from ${table} as one where one::text ilike '%${text}%'`,
      )
      .join(' union all '),
  );
  return Object.fromEntries(rows.filter((row) => row.rows > 0).map((row) => [row.name, row.rows]));
}

/** Returns the tables in ClickHouse. */
export async function clickHouseTables({ query }: ClickHouseDatabase): Promise<string[]> {
  const rows = await query('select name from system.tables where database = currentDatabase() order by name');
  return rows.map(({ name }) => String(name));
}

/** Returns the ClickHouse tables that contain the text in any column. */
export async function clickHouseTablesWith(database: ClickHouseDatabase, text: string): Promise<string[]> {
  const tables = await clickHouseTables(database);
  const rows = await database.query(
    tables
      .map(
        (table) =>
          `select distinct '${table}' as name from ${table} where positionCaseInsensitive(formatRow('JSONEachRow', *), '${text}') > 0`,
      )
      .join(' union all '),
  );
  const found = new Set(rows.map(({ name }) => name));
  return tables.filter((table) => found.has(table));
}

/** The connections of this process to databases, each of which closes when nothing uses it. */
const databases = new Map<string, postgres.Sql>();

function databaseAt(url: string): postgres.Sql {
  const known = databases.get(url);
  if (known !== undefined) return known;
  const opened = postgres(url, { max: 1, idle_timeout: 5, onnotice: () => undefined });
  databases.set(url, opened);
  return opened;
}

/** Returns the keys of the objects in a folder that begin with the prefix. */
export async function objectsIn(folder: string, prefix = ''): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1))
    .filter((key) => key.startsWith(prefix))
    .sort();
}

/** Returns the objects that contain the text in their key, their bytes, or their decompressed rows. */
export async function objectsWith(folder: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const key of await objectsIn(folder)) {
    const bytes = await readFile(join(folder, key));
    const content = key.endsWith('.parquet') ? JSON.stringify(await rowsOf(bytes)) : bytes.toString('latin1');
    if (`${key} ${content}`.toLowerCase().includes(text)) found.push(key);
  }
  return found;
}

async function rowsOf(bytes: Buffer): Promise<Record<string, string>[]> {
  const rows = await parquetReadObjects({
    file: {
      byteLength: bytes.byteLength,
      slice: (start, end) => new Uint8Array(bytes.subarray(start, end)).buffer,
    },
    columns: ['project_id', 'event_id', 'distinct_id', 'properties'],
    compressors: { ZSTD: (compressed) => zstdDecompressSync(compressed) },
  });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value)])),
  );
}
