import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createDuckDb } from './duckdb.ts';
import { DUCKDB } from './duckdb-dialect.ts';
import { QueryTimeout, QueryTooLarge } from './engine.ts';
import { integer, type Sql, sql, text } from './sql.ts';

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

describe('waiting until no query runs', () => {
  test('ends with the last query', async () => {
    const people = await engine.createPeople();
    let isUnused = false;
    const waiting = engine.unused().then(() => {
      isUnused = true;
    });
    await engine.query(sql`select 1`);
    expect(isUnused).toBe(false);
    await people.drop();
    await waiting;
    expect(isUnused).toBe(true);
  });

  test('ends beside queries that do not end', async () => {
    const people = await engine.createPeople();
    await engine.unused();
    await people.drop();
  });
});

test('returns the columns of integers of many rows', async () => {
  const rows = 10_000;
  const columns = await engine.integers(
    sql`select (-i)::bigint, hash(i) from range(${integer(rows)}) as t(i) order by i`,
    new AbortController().signal,
  );
  const [hashes] = z
    .tuple([z.object({ list: z.array(z.bigint()) })])
    .parse(
      await engine.query(sql`select list(hash(i) order by i) as list from range(${integer(rows)}) as t(i)`),
    );
  expect(columns[0]).toEqual(BigInt64Array.from({ length: rows }, (_, i) => BigInt(-i)));
  expect(new BigUint64Array(columns[1]?.buffer ?? new ArrayBuffer(0))).toEqual(
    BigUint64Array.from(hashes.list),
  );
});

describe('a visit of each person', () => {
  const visit = async (query: Sql, signal?: AbortSignal) => {
    let visited = 0;
    await engine.eachPerson(query, () => void visited++, signal);
    return visited;
  };

  test('sorts the integers of a list, in joined lists between -1s, and those of lists too long for one turn', async () => {
    const visited: bigint[][] = [];
    const integers = (count: number) =>
      sql`select ${DUCKDB.integerList(sql`(i * 7919) % ${integer(count)}`)} from range(${integer(count)}) as numbers(i)`;
    const joined = DUCKDB.concatenated(DUCKDB.prepended(sql`-1`, sql`l`));
    await engine.eachPerson(
      sql`select 'short' as p, (${integers(5)}) as events, []::varchar[] as labels
        union all select 'long', (${integers(100_001)}), []
        union all select 'joined', (select ${joined} from (values ([3, 1]::bigint[]), ([2, 0, 1]::bigint[])) as lists(l)), []`,
      ({ words }) => void visited.push([...new BigInt64Array(words.slice().buffer)]),
    );
    expect(visited.map((list) => list.length)).toEqual([5, 100_001, 7]);
    expect(visited[0]).toEqual([0n, 1n, 2n, 3n, 4n]);
    expect(visited[1]).toEqual(Array.from({ length: 100_001 }, (_, i) => BigInt(i)));
    expect(visited[2]).toEqual([-1n, 1n, 3n, -1n, 0n, 1n, 2n]);
  });

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
