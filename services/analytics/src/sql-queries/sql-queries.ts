import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { InsightRange, SqlResult } from '@switchboard/contracts';
import { BadRequest } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { spanOf } from '../calendar/calendar.ts';
import type { DuckDb } from '../engine/duckdb.ts';
import { sql } from '../engine/sql.ts';
import type { QueryQueue } from '../query-queue/query-queue.ts';
import type { FoundSource } from '../query-queue/source.ts';
import type { Json, Result, Results } from '../results/results.ts';
import type { Watermark } from '../watermark/watermark.ts';
import type { SqlQuery, SqlTable } from './calls.ts';
import { UnusableSql } from './check.ts';
import type { UseSqlProcess } from './runner.ts';
import type { RowPages, SqlQueriesStore } from './store.ts';

/** Runs a SQL query on the data of a project. Throws BadRequest and Unavailable. */
export type RunSql = (
  projectId: string,
  query: SqlQuery & { range: InsightRange },
) => Promise<Result<Omit<SqlResult, 'asOf'>>>;

export interface SqlQueriesOptions {
  queue: QueryQueue;
  results: Results;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
  engine: Pick<DuckDb, 'save'>;
  useProcess: UseSqlProcess;
  rows: SqlQueriesStore;
  /** A folder that the engine can write to. */
  folder: string;
  memoryBytes: number;
  spillBytes: number;
}

const MAX_ROWS = 10_000;
const MAX_BYTES = 4_000_000;
/** Copying more people takes most of the time of a query. */
const MAX_COPIED = 1_000_000;
/** Results of `now()` are at most this old. */
const MINUTE_MS = 60_000;
const NARROWING = { parameter: 'range', by: 'a shorter range', filter: 'a condition' };

export function createRunSql(options: SqlQueriesOptions): RunSql {
  const { queue, results, watermark, clock, engine, useProcess, rows, memoryBytes, spillBytes } = options;

  async function copy(pages: RowPages, path: string, signal: AbortSignal): Promise<string> {
    const file = createWriteStream(path);
    let copied = 0;
    for await (const page of pages) {
      signal.throwIfAborted();
      copied += page.length;
      if (copied > MAX_COPIED)
        throw new UnusableSql(`more than ${MAX_COPIED} people or groups; query events alone`);
      if (!file.write(page.map((row) => `${row}\n`).join(''))) await once(file, 'drain', { signal });
    }
    file.end();
    await finished(file);
    return path;
  }

  async function compute(
    { projectId, paths, personIds }: FoundSource,
    { query, params }: SqlQuery,
    span: { from: number; to: number },
    signal: AbortSignal,
  ): Promise<SqlTable> {
    await mkdir(options.folder, { recursive: true });
    const folder = await mkdtemp(join(options.folder, 'query-'));
    const fileOf = (name: string) => join(folder, name);
    const files = paths?.();
    try {
      return await useProcess(signal, async (process) => {
        const { statement, views } = await process.check({ query, params });
        const persons = fileOf('persons.parquet');
        if (personIds)
          await engine.save(sql`select distinct_id, person_id from ${personIds}`, persons, signal);
        const people = views.includes('people')
          ? await copy(rows.people(projectId), fileOf('people.json'), signal)
          : undefined;
        const groups = views.includes('groups')
          ? await copy(rows.groups(projectId), fileOf('groups.json'), signal)
          : undefined;
        return process.run({
          statement,
          params,
          data: {
            ...span,
            projectId,
            events: files?.own ?? [],
            shared: files?.shared ?? [],
            copy: fileOf('copy.parquet'),
            persons: personIds && persons,
            people,
            groups,
          },
          memoryBytes,
          spillFolder: fileOf('spill'),
          spillBytes,
          maxRows: MAX_ROWS,
          maxBytes: MAX_BYTES,
        });
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  return async (projectId, { range, ...query }) => {
    const now = clock.now().getTime();
    const asOf = watermark.asOf();
    const { first, last, unitMs } = spanOf(range, 'day', 'UTC', now);
    const span = { from: first * unitMs, to: (last + 1) * unitMs };
    const bounds = { signal: queue.deadline(), narrowing: NARROWING };
    const found = await queue.find({ projectId, names: undefined, ...span, readsPersons: true }, bounds);
    const key = [projectId, 'sql', query, span, Math.floor(now / MINUTE_MS), found.version];
    return results.of(key, asOf, async (): Promise<Json<Omit<SqlResult, 'asOf'>>> => {
      const read = (source: FoundSource) => compute(source, query, span, bounds.signal);
      const { columns, rows, truncated } = await refusing(queue.run(projectId, found, read, bounds));
      return `{"dialect":"duckdb","columns":${JSON.stringify(columns)},"rows":${rows},"truncated":${truncated}}`;
    });
  };
}

async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof UnusableSql) throw new BadRequest(`query: ${error.message}`);
    throw error;
  }
}
