import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createDuckDb } from './duckdb.ts';
import { QueryTimeout, QueryTooLarge } from './engine.ts';
import { type Sql, sql, text } from './sql.ts';

const folder = await mkdtemp(join(tmpdir(), 'duckdb-'));
const engine = createDuckDb({
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

test('is configured to give memory back and to read files in large parts', async () => {
  const settings = await engine.query(sql`select current_setting('allocator_background_threads') as frees,
    current_setting('prefetch_all_parquet_files') as prefetches`);
  expect(settings).toEqual([{ frees: true, prefetches: true }]);
});

test('denies queries other files and changes of settings', async () => {
  const path = join(folder, 'other.csv');
  await writeFile(path, 'a\n1\n');
  await expect(engine.query(sql`select * from read_csv(${text(path)})`)).rejects.toThrow(/Permission Error/);
  await expect(engine.query(sql`set enable_external_access = true`)).rejects.toThrow(/configuration/);
});

test('ends a query that is aborted at any moment', async () => {
  const endless = sql`select sum(a.i * b.i)::double from range(1000000000) as a(i), range(1000000000) as b(i)`;
  const moments = [
    ...Array.from({ length: 12 }, (_, count) => ({ count, pass: () => Promise.resolve() })),
    ...Array.from({ length: 12 }, (_, count) => ({ count, pass: () => new Promise(setImmediate) })),
  ];
  for (const { count, pass } of moments) {
    const aborting = new AbortController();
    const running = expect(engine.query(endless, aborting.signal)).rejects.toThrow(QueryTimeout);
    for (let passed = 0; passed < count; passed++) await pass();
    aborting.abort();
    await running;
  }
});

test('rejects a query beyond its memory and disk as too large, and answers others', async () => {
  const large = sql`select count(*) from (select distinct md5(i::varchar) from range(2000000) as t(i))`;
  await expect(engine.query(large)).rejects.toThrow(QueryTooLarge);
  expect(await engine.query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
});

describe('a visit of each person', () => {
  const visit = async (query: Sql, signal?: AbortSignal) => {
    let visited = 0;
    await engine.eachPerson(query, () => void visited++, signal);
    return visited;
  };

  test('rejects a query that fails after many people', async () => {
    const failing = sql`select 'p' || i, [case when i = 9000 then error('late')::bigint else i end], []::varchar[]
      from range(10000) as t(i)`;
    await expect(visit(failing)).rejects.toThrow('late');
  });

  test('ends when the query is aborted', async () => {
    const aborting = new AbortController();
    const people = sql`select 'p' || i, [i], []::varchar[] from range(10000) as t(i)`;
    const running = engine.eachPerson(people, () => aborting.abort(), aborting.signal);
    await expect(running).rejects.toThrow(QueryTimeout);
    expect(await visit(people)).toBe(10_000);
  });
});

describe('a DuckDB engine after a query has spilled', async () => {
  const spillFolder = join(folder, 'spilled');
  const spilling = createDuckDb({
    threads: 1,
    memoryBytes: 50_000_000,
    spillFolder,
    spillBytes: 1_000_000_000,
    filesFolder: join(folder, 'files'),
  });
  afterAll(() => spilling.close());
  const spill = () =>
    spilling.query(
      sql`select count(*)::integer as n from (select distinct md5(i::varchar) from range(2000000) as t(i))`,
    );
  const spillsNow = () =>
    stat(spillFolder).then(
      () => true,
      () => false,
    );

  test('answers the next query with a new instance', async () => {
    expect(await spill()).toEqual([{ n: 2_000_000 }]);
    expect(await spillsNow()).toBe(false);
    expect(await spilling.query(sql`select text_of('"a"'::json) as answer`)).toEqual([{ answer: 'a' }]);
  });

  test('lets people and queries in progress keep the old instance', async () => {
    const people = await spilling.createPeople();
    await people.add([{ distinctId: 'ada', traits: '{}', groups: '{}' }]);
    // Small enough to fit beside the spilling query, and still running when that one ends.
    await Promise.all([spill(), spilling.query(sql`select count(*) from range(100000000)`)]);
    expect(await spillsNow()).toBe(true);
    expect(await spilling.query(sql`select distinct_id from ${people.relation}`)).toEqual([
      { distinct_id: 'ada' },
    ]);
    await people.drop();
    expect(await spillsNow()).toBe(false);
  });
});
