import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openDuckDb } from './duckdb.ts';
import { sql, text } from './sql.ts';

const folder = await mkdtemp(join(tmpdir(), 'duckdb-'));
const engine = await openDuckDb({
  threads: 1,
  memoryBytes: 100_000_000,
  spillFolder: join(folder, 'spill'),
  spillBytes: 1_000_000,
  filesFolder: join(folder, 'files'),
});
afterAll(async () => {
  await engine.close();
  await rm(folder, { recursive: true });
});

test('it is set to give memory back, and to read files in large parts', async () => {
  const settings = await engine.query(sql`select current_setting('allocator_background_threads') as frees,
    current_setting('prefetch_all_parquet_files') as prefetches`);
  expect(settings).toEqual([{ frees: true, prefetches: true }]);
});

test('no query reads other files or changes settings', async () => {
  const path = join(folder, 'other.csv');
  await writeFile(path, 'a\n1\n');
  await expect(engine.query(sql`select * from read_csv(${text(path)})`)).rejects.toThrow(/Permission Error/);
  await expect(engine.query(sql`set enable_external_access = true`)).rejects.toThrow(/configuration/);
});
