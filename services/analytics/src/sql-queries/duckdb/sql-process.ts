import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { createBirpc } from 'birpc';
import { quoted } from '../../engine/quoted.ts';
import { checkParams, type SqlQuery, type SqlTable, UnusableSql } from '../query.ts';
import type { CheckedSql, Refusable, SqlJob, SqlProcessCalls } from './calls.ts';
import { readStatement } from './statement.ts';
import { copyOf, viewsOf } from './views.ts';

/**
 * The entry point of the process that runs one SQL query. See `createSqlRunner`. It has neither secrets nor files of
 * other projects, and other queries go first.
 */

const LOWER_PRIORITY = 10;
/** The number of characters of a value that is cut. */
const MAX_VALUE = 100_000;

setPriority(LOWER_PRIORITY);
try {
  // The kernel ends this process rather than the service when memory runs out.
  writeFileSync('/proc/self/oom_score_adj', '1000');
} catch {
  // Another operating system.
}

const instance = await DuckDBInstance.create(':memory:', {
  threads: '1',
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
});
const connection = await instance.connect();

async function check({ query, params }: SqlQuery): Promise<CheckedSql> {
  const { statement, views, parameters } = await readStatement(connection, query);
  checkParams(parameters, params, (name) => `$${name}`);
  return { statement, views: [...views] };
}

async function run({ statement, params, ...job }: SqlJob): Promise<SqlTable> {
  await prepare(connection, job);
  const values: Record<string, DuckDBValue> = { ...params };
  const described = await connection.run(`select * from (${statement}) limit 0`, values);
  const types = described.columnTypes();
  const columns = described.columnNames().map((name, index) => ({ name, type: String(types[index]) }));
  const result = await connection.run(
    `select left(to_json(columns(*))::varchar, ${MAX_VALUE}) from (${statement}) limit ${job.maxRows + 1}`,
    values,
  );
  return { columns, ...(await read(result, columns.length, job)) };
}

/** Creates the views, and removes access to everything else. */
async function prepare(
  connection: DuckDBConnection,
  { data, memoryBytes, spillFolder, spillBytes }: Omit<SqlJob, 'statement' | 'params'>,
): Promise<void> {
  const set = async (settings: readonly string[]) => {
    for (const setting of settings) await connection.run(`set ${setting}`);
  };
  await set([
    `memory_limit = '${memoryBytes}B'`,
    `temp_directory = ${quoted(spillFolder)}`,
    `max_temp_directory_size = '${spillBytes}B'`,
    "TimeZone = 'UTC'",
    'enable_external_file_cache = false',
  ]);
  const copying = copyOf(data);
  if (copying !== undefined) await connection.run(copying);
  const copied = copying === undefined ? undefined : data.copy;
  const files = [...data.events, copied, data.persons, data.people, data.groups];
  await set([
    `allowed_paths = [${files.flatMap((path) => (path === undefined ? [] : [quoted(path)])).join(', ')}]`,
    `allowed_directories = [${quoted(spillFolder)}]`,
    'enable_external_access = false',
    'lock_configuration = true',
  ]);
  for (const view of viewsOf(data)) await connection.run(view);
}

async function read(
  result: Awaited<ReturnType<DuckDBConnection['run']>>,
  width: number,
  { maxRows, maxBytes }: Pick<SqlJob, 'maxRows' | 'maxBytes'>,
): Promise<Pick<SqlTable, 'rows' | 'truncated'>> {
  const rows: string[] = [];
  let bytes = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return { rows: `[${rows.join(',')}]`, truncated: false };
    const vectors = Array.from({ length: width }, (_, index) => chunk.getColumnVector(index));
    for (let index = 0; index < chunk.rowCount; index++) {
      const row = `[${vectors.map((vector) => jsonOf(vector.getItem(index))).join(',')}]`;
      bytes += Buffer.byteLength(row);
      if (rows.length === maxRows || bytes > maxBytes)
        return { rows: `[${rows.join(',')}]`, truncated: true };
      rows.push(row);
    }
  }
}

/** Returns null for a number that JSON does not have, such as NaN. */
function jsonOf(value: unknown): string {
  if (typeof value !== 'string') return 'null';
  if (value.length >= MAX_VALUE) throw new UnusableSql('a value is too long; select a part of it');
  try {
    JSON.parse(value);
    return value;
  } catch {
    return 'null';
  }
}

/** The kinds of errors that a query causes. Their messages name columns and functions. */
const OF_QUERY =
  /^(Parser|Binder|Catalog|Conversion|Invalid Input|Out of Range|Syntax|Invalid type|Not implemented) Error/i;

async function refusable<T>(work: Promise<T>): Promise<Refusable<T>> {
  try {
    return { ok: await work };
  } catch (error) {
    if (error instanceof UnusableSql) return { unusable: error.message };
    const message = error instanceof Error ? error.message : '';
    if (OF_QUERY.test(message)) return { unusable: message.split('\n\nLINE', 1)[0] ?? '' };
    if (/^Out of Memory Error/.test(message) || /max_temp_directory_size/.test(message)) {
      return { tooLarge: 'more memory than a query has' };
    }
    throw error;
  }
}

const calls: SqlProcessCalls = {
  check: (query) => refusable(check(query)),
  run: (job) => refusable(run(job)),
};

createBirpc<object, SqlProcessCalls>(calls, {
  post: (message) => process.send?.(message),
  on: (receive) => process.on('message', receive),
});
// The service has ended.
process.on('disconnect', () => process.exit(0));
