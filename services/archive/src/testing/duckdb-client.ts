import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** For tests: a DuckDB that shares nothing with Switchboard, that of Python. */

const PYTHON = process.env['PYTHON'] ?? 'python3';
const PROGRAM = fileURLToPath(new URL('duckdb_client.py', import.meta.url));

const answer = z.union([z.object({ rows: z.array(z.array(z.unknown())) }), z.object({ error: z.string() })]);

export interface DuckdbClient {
  /** Returns the rows of a query. Throws the error of DuckDB. */
  ask(sql: string): Promise<unknown[][]>;
  stop(): Promise<void>;
}

/** Whether Python has DuckDB and the extensions. Tests are skipped without them. */
export const hasDuckdb = (): boolean =>
  spawnSync(PYTHON, ['-c', 'import duckdb, duckdb_extension_ducklake, duckdb_extension_postgres_scanner'])
    .status === 0;

/** Starts a DuckDB with one connection, which runs one query at a time. */
export function openDuckdb(): DuckdbClient {
  const process = spawn(PYTHON, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
  return {
    async ask(sql) {
      process.stdin.write(`${JSON.stringify(sql)}\n`);
      const line = await lines.next();
      if (line.done === true) throw new Error('DuckDB ended');
      const given = answer.parse(JSON.parse(line.value));
      if ('error' in given) throw new Error(given.error);
      return given.rows;
    },
    async stop() {
      const ended = once(process, 'exit');
      process.stdin.end();
      await ended;
    },
  };
}
