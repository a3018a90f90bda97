import { clickHouseDatabase } from '@switchboard/testkit';
import { afterAll, describe, expect, it } from 'vitest';
import { openClickHouse } from '../../clickhouse/client.ts';
import { UnusableSql } from '../query.ts';
import { faultOf as faultOfError } from './faults.ts';
import { NAMES } from './functions.ts';
import { createReadStatement, type TextOf } from './statement.ts';

const database = await clickHouseDatabase();
const client = openClickHouse(database?.url ?? 'http://127.0.0.1:9/none');
afterAll(async () => {
  await client.close();
  await database?.drop();
});

const rowsOf = async <T>(query: string, query_params: Record<string, unknown> = {}): Promise<T[]> =>
  (await client.query({ query, query_params, format: 'JSONEachRow' })).json<T>();
const textOf: TextOf = async (expression, value) => {
  try {
    const [row] = await rowsOf<{ text: string }>(`select ${expression} as text`, { value });
    return row?.text ?? '';
  } catch (error) {
    throw new UnusableSql(faultOfError(error) ?? String(error));
  }
};
const readStatement = createReadStatement();
const read = (query: string) => readStatement(textOf, query, true);

/** Returns why a query is not run. */
async function faultOf(query: string): Promise<string> {
  const error: unknown = await read(query).then(
    ({ statement }) => new Error(`allowed: ${statement}`),
    (thrown: unknown) => thrown,
  );
  if (error instanceof UnusableSql) return error.message;
  throw error;
}

/** A whole query that has `events` and `o` in scope. */
const withO = (end: string) => `with o as (select 1 as n) ${end}`;

describe.skipIf(database === undefined)('a statement in the SQL of ClickHouse', () => {
  it.each([
    [
      "select name, count() as n from events where JSONExtractString(properties, 'plan') = {plan:String} group by all",
      ['events'],
      ['plan'],
    ],
    [
      'with e as (select * from events) select * from e join people using (person_id)',
      ['events', 'people'],
      [],
    ],
    ['with events as (select 1 as n) select * from events', [], []],
    ['select 1 where 1 in (select count() from groups) union all select 2 limit 3', ['groups'], []],
    ['with e as (select 1 as n), f as (select n from e) select f.n, e.* except(n) from f, e', [], []],
    [
      "select case when a then b else c end, x::Nullable(Int64), cast(a as Decimal(10, 2)), a between 1 and 2, toDateTime64(a, 3, 'Europe/Berlin') from EVENTS as t",
      ['events'],
      [],
    ],
    [
      'select distinct on (name) name, row_number() over (partition by name order by occurred_at) from events qualify 1',
      ['events'],
      [],
    ],
    [
      'select uniqExactIf(person_id, bot), quantile(0.5)(1) from events e any left join sessions using session_id',
      ['events', 'sessions'],
      [],
    ],
    [
      'select n from numbers(3) as t(n) array join [1, 2] as m order by n desc nulls last limit 1 by n',
      [],
      [],
    ],
  ])('may be %s', async (query, views, parameters) => {
    const found = await read(query);
    expect([[...found.views].sort(), [...found.parameters]]).toEqual([views, parameters]);
  });

  it('is run as it was checked, with numbers and texts as they were written', async () => {
    const { statement } = await read(
      "select 9007199254740993, -0.1, 1e300, [1, 9007199254740993], 'it''s \\\\ -- 1', '\\\"value\\\":12', 'é👩‍🚀' /* x */ ;-- end",
    );
    expect(statement).toBe(
      "SELECT 9007199254740993, -0.1, 1e300, [1, 9007199254740993], 'it\\'s \\\\ -- 1', '\"value\":12', 'é👩‍🚀'",
    );
  });

  it('reads no table by its name', async () => {
    const { statement } = await read(
      'with people as (select * from events), event_keys as (select * from people) select * from event_keys, people, Groups g',
    );
    const tables = [...statement.matchAll(/(?:FROM|JOIN) (`[^`]+`|\w+) AS/g)].map(([, name]) => name);
    expect([...new Set(tables)].sort()).toEqual(['`sql 1`', '`sql 2`', 'events', 'person_ids', 'sql_groups']);
  });

  it.each([
    ['select COUNT(*), count() from events where name = {name:String}', false],
    ['select count() from events as e join people as p on p.person_id = e.distinct_id', true],
    ['select e.`person_id` from events as e', true],
    ['select * from events', true],
    ['select e.* from events as e', true],
    ['select d from events as e(a, b, c, d)', true],
    ['select count() from Sessions', true],
  ])('joins the ids of persons where it may read them: %s', async (query, joins) => {
    const { statement } = await read(query);
    expect(statement.includes('person_ids')).toBe(joins);
  });

  it.each([
    ...[
      "url('http://127.0.0.1/', CSV)",
      "file('/etc/passwd')",
      "s3('http://x/y')",
      "remote('127.0.0.1', system.one)",
    ],
    ...[
      "mysql('x', 'y', 'z', 'u', 'p')",
      "postgresql('x', 'y', 'z', 'u', 'p')",
      "executable('x', CSV, 'a Int8')",
    ],
    ...["merge('', 'events')", "cluster('default', system.one)", "clusterAllReplicas('default', system.one)"],
    ...[
      "dictionary('x')",
      "mergeTreeIndex('default', 'events')",
      'zeros(10)',
      "input('a Int8')",
      'view(select 1)',
    ],
    ...[
      "generateRandom('a Int8')",
      "values('a Int8', 1)",
      "loop('default', 'events')",
      "hdfs('x', CSV)",
      "null('a Int8')",
    ],
    ...[
      "fuzzQuery('select 1')",
      "timeSeriesSelector('x')",
      "sqlite('x', 'y')",
      "azureBlobStorage('x')",
      "iceberg('x')",
    ],
  ])('cannot select from %s', async (source) => {
    expect(await faultOf(`select * from ${source}`)).toMatch(/is not allowed/);
  });

  it.each([
    ...[
      'system.tables',
      'default.events',
      'information_schema.tables',
      '`system.tables`',
      'system.query_log',
    ],
    ...[
      'event_keys',
      'person_ids',
      'sql_people',
      'cohort_facts',
      '`sql 1`',
      'schema_migrations',
      'tables',
      'one',
    ],
    ...['{t:Identifier}', 'system.{t:Identifier}', '"sql 1"'],
  ])('has no table %s', async (source) => {
    expect(await faultOf(`select * from ${source}`)).toMatch(/no table|is not allowed/);
    expect(await faultOf(withO(`select * from o, ${source}`))).toMatch(/no table|is not allowed/);
    expect(await faultOf(`select 1 where exists (select 1 from ${source})`)).toMatch(
      /no table|is not allowed/,
    );
  });

  it.each([
    'with tables as (select * from tables) select * from tables',
    'with a as (select * from b), b as (select 1) select * from a',
    'select * from (with one as (select 1) select 1) as t, one',
    'with a as (with one as (select 1) select 1) select * from a, one',
    'select 1 union all (with one as (select 1) select * from one) union all select * from one',
  ])('cannot reach a table by the name of an expression elsewhere: %s', async (query) => {
    expect(await faultOf(query)).toMatch(/no table/);
  });

  it.each([
    ...[
      '1 in system.one',
      '1 in (event_keys)',
      '1 in (event_keys as x)',
      '1 in event_keys',
      '1 not in person_ids',
      'in(1, event_keys)',
      'notIn(1, system.one)',
    ],
    ...['1 global in (select 1)', 'nullIn(1, event_keys)', 'globalIn(1, event_keys)', '1 in {t:Identifier}'],
  ])('cannot name a table in %s', async (condition) => {
    expect(await faultOf(withO(`select ${condition} from o`))).toMatch(/write "in|is not allowed/);
  });

  it.each([
    ...[
      "dictGet('d', 'a', 1)",
      "joinGet('default.t', 'a', 1)",
      "file('/etc/passwd')",
      "hasColumnInTable('a', 'b', 'c')",
    ],
    ...[
      "getSetting('max_threads')",
      "getServerSetting('x')",
      "getMacro('x')",
      'hostName()',
      'currentUser()',
      'version()',
    ],
    ...[
      'sleep(3)',
      'sleepEachRow(3)',
      "repeat('x', 1000000000)",
      'space(100)',
      "leftPad('x', 100000)",
      'randomString(9)',
    ],
    ...[
      "executeGenerativeFunction('x')",
      'currentDatabase()',
      'connectionId()',
      'queryID()',
      'serverUUID()',
      'uptime()',
    ],
    ...[
      'arrayMap(x -> x, [1])',
      'x -> x',
      "arrayReduce('sum', [1])",
      "initializeAggregation('sum', 1)",
      'runningDifference(1)',
    ],
    ...[
      'arrayFold((a, x) -> a, [1], 1)',
      'arrayWithConstant(100000000, 1)',
      'arrayResize([1], 1000000)',
      'globalVariable(1)',
    ],
    ...[
      '@@version',
      'addressToLine(1)',
      "demangle('x')",
      "catboostEvaluate('x', 1)",
      'filesystemAvailable()',
      'rowNumberInBlock()',
    ],
    ...[
      "formatQuery('select 1')",
      "parseQueryToJSON('select 1')",
      'evalMLMethod(1)',
      "structureToProtobufSchema('a Int8')",
    ],
    ...[
      'hasAny([1], [1])',
      'hasAll([1], [1])',
      "editDistance('a', 'b')",
      "ngramDistance('a', 'b')",
      'lowCardinalityIndices(1)',
    ],
    ...[
      'sumState(1)',
      'sumMerge(1)',
      'finalizeAggregation(1)',
      "reinterpret(1, 'String')",
      "toFixedString('a', 1000000)",
    ],
    ...[
      "cast('x', 'AggregateFunction(sum, UInt8)')",
      "'x'::Dynamic",
      "accurateCast(1, 'JSON')",
      "cast(1 as Enum8('a' = 1))",
    ],
    ...[
      'cast(1, name)',
      '1::FixedString(100000000)',
      '{t:AggregateFunction(sum, UInt8)}',
      'sum(1) filter (where sleep(1))',
    ],
  ])('cannot call %s', async (call) => {
    expect(await faultOf(`select ${call}`)).toMatch(/is not allowed|syntax error/i);
  });

  it.each([
    ...[
      'insert into events values (1)',
      "insert into function url('http://x', CSV) select * from events",
      'alter table events delete where 1',
    ],
    ...[
      'drop table events',
      'truncate table events',
      'create table x (a Int8) engine = Memory',
      'create user x',
      'grant all on *.* to x',
    ],
    ...[
      'set max_threads = 1',
      'use system',
      'kill query where 1',
      'system shutdown',
      'show tables',
      'describe table events',
      'explain select 1',
    ],
    ...[
      'explain ast select 1',
      'exists table events',
      'attach table x',
      "backup table events to Disk('x', 'y')",
      'optimize table events',
      'rename table events to x',
    ],
    ...[
      'select 1; select 2',
      'select 1; drop table events',
      'begin transaction',
      'delete from events where 1',
      'update events set a = 1 where 1',
    ],
    ...[
      'create function f as x -> x',
      'execute as x select 1',
      'select 1 parallel with select 2',
      'check table events',

      '',
    ],
  ])('cannot run %s', async (statement) => {
    expect(await faultOf(statement)).toMatch(/^only SELECT can run|syntax error|empty query/i);
  });

  it.each([
    ...[
      'select 1 settings max_threads = 8',
      'select 1 settings readonly = 0',
      'select 1 settings additional_table_filters = {}',
    ],
    ...[
      'select * from (select 1 settings max_memory_usage = 0)',
      'select 1 format CSV',
      "select 1 into outfile '/tmp/x'",
    ],
    ...[
      "select 1 into outfile '/tmp/x' truncate format CSV",
      'select * from events final',
      'select * from events sample 0.1',
    ],
    ...[
      'select * from events prewhere bot',
      'select * apply(sum) from events',
      "select columns('.*') apply(x -> sleep(1)) from events",
    ],
    ...[
      "select columns('a') from events",
      "select * apply(getSetting) from (select 'x')",
      'select * from events global join people using person_id',
    ],
    ...[
      'select 1 order by 1 with fill from 1 to 1000000000',
      'select 1 order by 1 with fill interpolate (a as 1)',
      "select 1 order by 'a' collate 'en'",
    ],
    ...[
      'with recursive r as (select 1 as n union all select n + 1 from r) select * from r',
      'with 1 as x select x',
    ],
    ...[
      "with 'shop' as project_id select * from events",
      "with (select tuple('shop')) as e select * from events",
      'with x as materialized (select 1) select * from x',
    ],
    ...[
      "select x'ff'",
      'select * from events stream',
      'select 1 from events limit 1 by {a:Identifier}',
      'select {a:Identifier} from events',
    ],
    `select 1 from events ${', events'.repeat(25)}`,
    `select 1${' + 1'.repeat(3_300)}`,
    `select ${'('.repeat(3_000)}1${')'.repeat(3_000)}`,
    `with a0 as (select 1 as n from events), ${Array.from({ length: 18 }, (_, at) => `a${at + 1} as (select l.n from a${at} as l, a${at} as r)`).join(', ')} select * from a18`,
  ])('cannot have the form %#: %s', async (query) => {
    expect(await faultOf(query)).toMatch(
      /not allowed|join fewer|shorter query|write "with|not UTF-8|rejected|TOO_DEEP|too deep|depth/i,
    );
  });

  it('may call functions that ClickHouse has', async () => {
    const rows = await rowsOf<{ name: string }>('select lower(name) as name from system.functions');
    const known = new Set(rows.map(({ name }) => name));
    // Parts of the syntax.
    const written = new Set(['exists', 'countDistinct', 'caseWithExpression']);
    expect(NAMES.filter((name) => !known.has(name.toLowerCase()) && !written.has(name))).toEqual([]);
  });
});
