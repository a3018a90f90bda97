import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { DuckDb } from '../../engine/duckdb.ts';
import { sql } from '../../engine/sql.ts';
import { MAX_BYTES, MAX_ROWS, type SqlEngine } from '../query.ts';
import { bounded, type RowPages, type SqlQueriesStore } from '../store.ts';
import type { UseSqlProcess } from './runner.ts';

interface DuckDbSqlOptions {
  engine: Pick<DuckDb, 'save'>;
  useProcess: UseSqlProcess;
  rows: SqlQueriesStore;
  /** A folder that the engine can write to. */
  folder: string;
  memoryBytes: number;
  spillBytes: number;
}

/** Runs queries on the archive's files, each in a process of its own. */
export function createDuckDbSql(options: DuckDbSqlOptions): SqlEngine {
  const { engine, useProcess, rows, memoryBytes, spillBytes } = options;

  async function copy(pages: RowPages, path: string, signal: AbortSignal): Promise<string> {
    const file = createWriteStream(path);
    for await (const page of bounded(pages, signal)) {
      if (!file.write(page.map((row) => `${row}\n`).join(''))) await once(file, 'drain', { signal });
    }
    file.end();
    await finished(file);
    return path;
  }

  return {
    dialect: 'duckdb',
    async compute({ projectId, paths, personIds }, { query, params }, span, signal) {
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
    },
  };
}
