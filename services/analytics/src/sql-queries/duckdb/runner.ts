import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createBirpc } from 'birpc';
import { QueryTimeout, QueryTooLarge } from '../../engine/engine.ts';
import { type SqlQuery, type SqlTable, UnusableSql } from '../query.ts';
import type { CheckedSql, Refusable, SqlJob, SqlProcessCalls } from './calls.ts';

/** Runs the steps of one query. Both throw UnusableSql, QueryTooLarge and QueryTimeout. */
export interface SqlProcess {
  check(query: SqlQuery): Promise<CheckedSql>;
  run(job: SqlJob): Promise<SqlTable>;
}

/**
 * Starts a process for one query and ends it after `work`. A query that exhausts memory, crashes DuckDB or ignores its
 * time-out then harms no other query: the process is killed.
 */
export type UseSqlProcess = <T>(signal: AbortSignal, work: (process: SqlProcess) => Promise<T>) => Promise<T>;

/** DuckDB's limit does not cover every value that a function makes. */
const LOOK_MS = 25;
const PAGE_BYTES = 4096;
const MAX_HEAP_MB = 128;
const NO_TIMEOUT = -1;

export function createSqlProcesses({ maxBytes }: { maxBytes: number }): UseSqlProcess {
  return async (signal, work) => {
    signal.throwIfAborted();
    const child = fork(fileURLToPath(new URL('./sql-process.ts', import.meta.url)), [], {
      // The service's environment has secrets.
      env: {},
      execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
      serialization: 'json',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const calls = createBirpc<SqlProcessCalls>(
      {},
      {
        post: (message) => child.send(message),
        on: (receive) => child.on('message', receive),
        timeout: NO_TIMEOUT,
      },
    );
    const end = (reason: Error) => {
      calls.$close(reason);
      child.kill('SIGKILL');
    };
    const late = () => end(new QueryTimeout('The query took too long.'));
    child.on('error', (error) => end(error));
    child.on('exit', () => end(new QueryTooLarge('The process of the query ended.')));
    signal.addEventListener('abort', late, { once: true });
    const watch = watchMemory(child, maxBytes, () =>
      end(new QueryTooLarge('The query needs too much memory.')),
    );
    try {
      return await work({
        check: async (query) => resultOf(await calls.check(query)),
        run: async (job) => resultOf(await calls.run(job)),
      });
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', late);
      end(new Error('ended'));
    }
  };
}

/** Calls `onTooMuch` when the process uses more memory, where the operating system tells how much it uses. */
function watchMemory({ pid }: ChildProcess, maxBytes: number, onTooMuch: () => void): NodeJS.Timeout {
  return setInterval(async () => {
    const [, pages = '0'] = (await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '')).split(' ');
    if (Number(pages) * PAGE_BYTES > maxBytes) onTooMuch();
  }, LOOK_MS);
}

function resultOf<T>(result: Refusable<T>): T {
  if ('ok' in result) return result.ok;
  if ('unusable' in result) throw new UnusableSql(result.unusable);
  throw new QueryTooLarge(`The query needs ${result.tooLarge}.`);
}
