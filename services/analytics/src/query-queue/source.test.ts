import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { createDuckDb } from '../engine/duckdb.ts';
import { sql } from '../engine/sql.ts';
import { createFileSources } from './source.ts';

const neverCalled = async () => {
  throw new Error('The query reads no people.');
};
const neverAsked = () => {
  throw new Error('The query reads no kept rows.');
};

test('gives events no project when a folder is named like a Hive partition', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'source-'));
  const files = join(folder, 'project_id=theirs');
  await mkdir(files);
  const path = join(files, 'one.parquet');
  const duck = await DuckDBInstance.create();
  const connection = await duck.connect();
  await connection.run(`copy (select 'ours' as project_id) to '${path}' (format parquet)`);
  connection.closeSync();
  duck.closeSync();
  const engine = createDuckDb({
    threads: 1,
    memoryBytes: 100_000_000,
    spillFolder: join(folder, 'spill'),
    spillBytes: 1_000_000,
    filesFolder: files,
  });
  onTestFinished(async () => {
    await engine.close();
    await rm(folder, { recursive: true });
  });
  const file = { key: 'one', project: 'ours', bucket: null, buckets: null, bytes: 1, replaces: [] };
  const sources = createFileSources({
    store: { find: async () => [file] },
    cache: {
      hold: async () => ({
        files: [{ ...file, path }],
        check: async () => undefined,
        release: () => undefined,
      }),
    },
    kept: { find: neverAsked },
    countPeople: neverAsked,
    people: { version: neverCalled, read: neverCalled },
    persons: { version: neverCalled, read: neverCalled },
  });
  const { signal } = new AbortController();
  const found = await sources.find({ projectId: 'ours', names: undefined }, signal);
  const rows = await found.read(signal, ({ events }) => engine.query(sql`select project_id from ${events}`));
  expect(rows).toEqual([{ project_id: 'ours' }]);
});
