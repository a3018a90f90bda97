import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { UnusableSql } from '../query.ts';
import { readStatement } from './statement.ts';

const instance = await DuckDBInstance.create();
const connection = await instance.connect();
afterAll(() => connection.closeSync());

/** Returns why a query is not run. */
async function faultOf(query: string): Promise<string> {
  const error: unknown = await readStatement(connection, query).then(
    () => new Error(`allowed: ${query}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof UnusableSql) return error.message;
  throw error;
}

describe('a statement', () => {
  it.each([
    [
      "select name, count(*) from events where properties->>'$.plan' = $plan group by all",
      ['events'],
      ['plan'],
    ],
    [
      'with e as (select * from events) select * from e join people using (person_id)',
      ['events', 'people'],
      [],
    ],
    ['with events as (select 1 as n) select * from events', [], []],
    [
      'select 1 where 1 in (select count(*) from groups) union all select 2 order by 1 limit 3',
      ['groups'],
      [],
    ],
    [
      'with e(n) as (select 1), f as (select n from e) select * from f, lateral (select f.n) as g, unnest([1]) as u(x)',
      [],
      [],
    ],
    [
      'select case when a then b else c end, x::json, try_cast(a as int[]), {a: 1}, a between 1 and 2 from EVENTS as t(a, b, c, x)',
      ['events'],
      [],
    ],
    [
      'select distinct on (name) name, row_number() over (partition by name order by occurred_at) from events qualify true',
      ['events'],
      [],
    ],
    [
      "select date_trunc('week', occurred_at at time zone 'Europe/Berlin') as w, quantile_cont(1, 0.5) from events group by w having count(*) > 1",
      ['events'],
      [],
    ],
  ])('may be %s', async (query, views, parameters) => {
    const read = await readStatement(connection, query);
    expect([[...read.views].sort(), [...read.parameters]]).toEqual([views, parameters]);
  });

  it('is run as it was checked, with numbers and texts as they were written', async () => {
    const { statement } = await readStatement(
      connection,
      "select 9007199254740993, 'it''s -- 1' /* x */ ;-- end",
    );
    expect(statement).toBe("SELECT 9007199254740993, 'it''s -- 1'");
  });

  it.each([
    ...[
      "read_text('/etc/passwd')",
      "read_parquet('/tmp/*.parquet')",
      "glob('/tmp/*')",
      "read_csv('/etc/passwd')",
    ],
    ...[
      'duckdb_settings()',
      'duckdb_secrets()',
      "query('select 1')",
      "query_table('events')",
      'pragma_version()',
    ],
    ...["json_execute_serialized_sql('x')", "parquet_metadata('x')", 'duckdb_tables()', "sniff_csv('x')"],
  ])('cannot select from %s', async (source) => {
    expect(await faultOf(`select * from ${source}`)).toMatch(/is not allowed/);
  });

  it.each([
    ...[
      "'/etc/passwd'",
      "'/data/x.parquet'",
      'information_schema.tables',
      'duckdb_settings',
      'sqlite_master',
    ],
    ...[
      'main.events',
      'pg_catalog.pg_tables',
      'memory.main.events',
      'system.main.duckdb_tables',
      'pg_tables',
    ],
  ])('has no table %s', async (source) => {
    expect(await faultOf(`select * from ${source}`)).toMatch(/no table|is not allowed/);
  });

  it.each([
    'with duckdb_settings as (select 1) select * from (select 1) as t, (with a as (select 1) select * from a) as u, sqlite_master',
    'with a as (select * from duckdb_settings), duckdb_settings as (select 1) select * from a',
    'select * from (with pg_tables as (select 1) select 1) as t, pg_tables',
    'with a as (with sqlite_master as (select 1) select 1) select * from a, sqlite_master',
  ])('cannot reach a catalog by the name of an expression elsewhere: %s', async (query) => {
    expect(await faultOf(query)).toMatch(/no table/);
  });

  it.each([
    ...[
      "getenv('HOME')",
      "current_setting('allowed_paths')",
      "json_serialize_sql('select 1')",
      "nextval('x')",
    ],
    ...[
      "repeat('x', 1000000000)",
      "rpad('x', 1000000000, 'x')",
      "printf('%1000000000d', 1)",
      "write_log('x')",
    ],
    ...['range(1000000000)', 'list_transform([1], lambda x: x)', '[x for x in [1]]', 'sleep_ms(10000)'],
    ...["getvariable('x')", 'main.read_text(1)', 'current_schemas(true)'],
  ])('cannot call %s', async (call) => {
    expect(await faultOf(`select ${call}`)).toMatch(/is not allowed/);
  });

  it.each([
    ...[
      "copy events to '/tmp/x'",
      "attach '/tmp/x'",
      "set memory_limit = '1TB'",
      'pragma version',
      'install httpfs',
    ],
    ...[
      "load 'x'",
      'create table x (a int)',
      'drop view events',
      'checkpoint',
      'call duckdb_settings()',
      'export database x',
    ],
    ...[
      'insert into events values (1)',
      'delete from events',
      'update events set name = 1',
      'explain select 1',
    ],
  ])('cannot run %s', async (statement) => {
    expect(await faultOf(statement)).toMatch(/./);
  });

  it.each([
    'with recursive r as (select 1 as n union all select n + 1 from r) select * from r',
    'select * from events tablesample 10%',
    'describe select 1',
    'summarize events',
    'pivot events on name',
    "select 1::enum('a')",
    `select * from events ${'join events using (event_id) '.repeat(25)}`,
    `select 1${' + 1'.repeat(2_000)}`,
    `select ${'case when true then '.repeat(300)}1${' end'.repeat(300)} from x`,
  ])('cannot have the form %#', async (query) => {
    expect(await faultOf(query)).toMatch(/./);
  });
});
