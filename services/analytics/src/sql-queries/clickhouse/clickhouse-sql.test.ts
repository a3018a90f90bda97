import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { SettingsMap } from '@clickhouse/client';
import { eventually, startClickHouse } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClickHouse } from '../../clickhouse/client.ts';
import { Refused } from '../../clickhouse/requests.ts';
import { QueryTooLarge } from '../../engine/engine.ts';
import type { FoundSource } from '../../query-queue/source.ts';
import { startAnalytics } from '../../testing/service.ts';
import { sqlCalls, storeSqlData } from '../../testing/sql-data.ts';
import type { SqlQueriesStore } from '../store.ts';
import { createClickHouseSql } from './compute.ts';
import { filtersOf } from './views.ts';

const server = await startClickHouse();
afterAll(() => server?.stop());

const ROOT = fileURLToPath(new URL('../../../../../', import.meta.url));
const ENDLESS = 'select count() from numbers(100000000000) where number % 7 = 8';

describe.skipIf(server === undefined)('SQL on ClickHouse', () => {
  const url = server?.url ?? 'http://127.0.0.1:9/none';
  const client = openClickHouse(url);
  let analytics: Awaited<ReturnType<typeof startAnalytics>>;
  let files: Awaited<ReturnType<typeof startAnalytics>>;
  const clickHouse = sqlCalls(() => analytics);
  const duckDb = sqlCalls(() => files);
  const { run, rowsOf, refusal } = clickHouse;
  const stored = async <T>(query: string): Promise<T[]> =>
    (await client.query({ query, format: 'JSONEachRow' })).json<T>();

  beforeAll(async () => {
    analytics = await startAnalytics(
      { CLICKHOUSE_URL: url },
      { sink: { blockAgeMs: 20 }, queryLimits: { timeoutMs: 6_000 } },
    );
    files = await startAnalytics();
    await Promise.all([storeSqlData(analytics), storeSqlData(files)]);
    await eventually(async () => {
      expect(await rowsOf('select count() from events', { range: { last: 60, unit: 'day' } })).toEqual([[5]]);
      expect(await rowsOf("select person_id from events where event_id = '2'")).toEqual([['ada']]);
      expect((await run('select count() from events', {}, 200, 'blog')).rows).toEqual([[2]]);
    });
  }, 60_000);
  afterAll(async () => {
    await client.close();
    await Promise.all([analytics.stop(), files.stop()]);
  });

  it.each([
    'select event_id, name, distinct_id, person_id, session_id, bot from events order by event_id',
    'select name, count(*) as n, count(distinct person_id) as people from events group by name order by name',
    'select * from sessions where session_id is null',
    'select session_id, person_id, events from sessions order by session_id',
    "select date_diff('second', started_at, ended_at) from sessions order by 1",
    'select person_id from people where last_seen_at is not null and traits is not null order by person_id',
    'select type, id, members from groups where first_seen_at is not null',
    'select count(*) from people where first_seen_at <= last_seen_at and last_seen_at > now() - interval 1 day',
    'select p.person_id, count(*) as n from events join people as p using (person_id) group by p.person_id order by n',
    "with orders as (select person_id, count(*) as n from events where name = 'order placed' group by person_id) select *, rank() over (order by n desc) from orders",
    'select name from (select person_id, name, row_number() over (partition by person_id order by occurred_at) as nth from events) as e where nth = 1',
    "select min_by(name, occurred_at), max_by(event_id, occurred_at) from events where date_trunc('hour', occurred_at) = occurred_at",
    "select event_id from events where name like 'order%' and session_id in (select session_id from sessions where events = 1) union all select 'x' where 1 = 2",
    'select 9007199254740993, 1.5, null, true, [1, 2], \'é "x"\'',
  ])('returns the same rows as on files: %s', async (query) => {
    const rows = await rowsOf(query);
    expect(rows).toEqual(await duckDb.rowsOf(query));
  });

  it.each([
    [
      "select nullIf(JSONExtractString(properties, 'plan'), ''), JSONExtractString(context, 'sdk') from events order by event_id",
      "select properties->>'plan', context->>'sdk' from events order by event_id",
    ],
    [
      "select person_id, JSONExtractString(traits, 'plan'), JSONExtractString(traits, 'city'), JSONExtractString(groups, 'company') from people",
      "select person_id, traits->>'plan', traits->>'city', groups->>'company' from people",
    ],
    [
      'select a, d from events as e(a, b, c, d, f, g, h, i, j, k) order by a',
      'select a, d from events as e(a, b, c, d, f, g, h, i, j, k) order by a',
    ],
    [
      "select id, JSONExtractString(traits, 'tier'), toUnixTimestamp(first_seen_at) from groups",
      "select id, traits->>'tier', epoch(first_seen_at)::bigint from groups",
    ],
    [
      "select has(JSONExtract(properties, 'tags', 'Array(String)'), 'b') from events where event_id = '2'",
      "select list_contains((properties->'tags')::varchar[], 'b')::int from events where event_id = '2'",
    ],
  ])('returns the same rows as the other dialect on files: %s', async (query, other) => {
    expect(await rowsOf(query)).toEqual(await duckDb.rowsOf(other));
  });

  it('names its dialect, and the types of its columns', async () => {
    const { dialect, columns } = await run(
      'select name, count() as n, min(occurred_at) as t from events group by name',
    );
    expect([dialect, (await duckDb.run('select 1')).dialect]).toEqual(['clickhouse', 'duckdb']);
    expect(columns).toEqual([
      { name: 'name', type: 'String' },
      { name: 'n', type: 'UInt64' },
      { name: 't', type: "DateTime64(3, 'UTC')" },
    ]);
  });

  it('binds parameters of the types that the query names', async () => {
    const query = `select count() from events where JSONExtractString(properties, 'plan') = {plan:String}
      and JSONExtractFloat(properties, 'total') >= {least:Float64}`;
    expect(await rowsOf(query, { params: { plan: 'pro', least: 10 } })).toEqual([[1]]);
    expect(await rowsOf(query, { params: { plan: 'pro', least: '10' } })).toEqual([[1]]);
    expect(await rowsOf(query, { params: { plan: "' or 1 --", least: 0 } })).toEqual([[0]]);
    const hostile = `\\' \n\t" {plan:String}`;
    expect(await rowsOf('select {text:String}', { params: { text: hostile } })).toEqual([[hostile]]);
    expect(await refusal(query, { params: { plan: 'pro' } })).toMatch(/\{least:...\} has no value/);
    expect(await refusal('select 1', { params: { plan: 'pro' } })).toMatch(/params has plan/);
    expect(await refusal('select {PROJECT:String}')).toMatch(/\{PROJECT:...\} has no value/);
    expect(await refusal('select {n:Int64}', { params: { n: 'x' } })).toMatch(/^query: .*x/);
  });

  it('runs the example of the documentation', async () => {
    const query = await readFile(`${ROOT}docs/examples/orders-clickhouse.sql`, 'utf8');
    expect(await rowsOf(query, { params: { name: 'order placed' } })).toEqual([['pro', 3]]);
  });

  it('reads the events of its range', async () => {
    expect(await rowsOf('select count() from events')).toEqual([[4]]);
    expect(await rowsOf('select count() from events', { range: { last: 60, unit: 'day' } })).toEqual([[5]]);
  });

  it('returns values as JSON', async () => {
    const query = `select properties, nan, null, [1, 2], map('a', true), 1.50::Decimal(4, 2), toDateTime64('2026-03-01 12:00:00', 3),
      toDate('2026-03-01'), true from events where event_id = '3'`;
    expect(await rowsOf(query)).toEqual([
      [
        '{"total":10,"plan":"pro"}',
        null,
        null,
        [1, 2],
        { a: true },
        1.5,
        '2026-03-01T12:00:00.000Z',
        '2026-03-01',
        true,
      ],
    ]);
  });

  it('returns the first rows of a long result, in order', async () => {
    const { rows, truncated } = await run('select number as n from numbers(200000) order by n % 10 desc, n');
    expect([rows.length, rows[0], rows.at(-1), truncated]).toEqual([10_000, [9], [99_999], true]);
    const wide = await run(
      `select number, [${Array(8).fill('hex(SHA256(toString(number)))').join(', ')}] from numbers(20000)`,
    );
    expect([wide.rows.length > 100, wide.rows.length < 10_000, wide.truncated]).toEqual([true, true, true]);
    const all = await run('select number from numbers(10000)');
    expect([all.rows.length, all.truncated]).toEqual([10_000, false]);
  });

  it('names the fault of a query', async () => {
    expect(await refusal('select * form events')).toMatch(/^query: ClickHouse: Syntax error/);
    expect(await refusal('select nme from events')).toMatch(
      /^query: ClickHouse: Unknown expression identifier `?'?nme'?`?.*Maybe you meant: \['name'\]/,
    );
    expect(await refusal('select sum(name) from events')).toMatch(/^query: ClickHouse: Illegal type String/);
    expect(await refusal("select toInt64('x')")).toMatch(
      /^query: ClickHouse cannot compute it: CANNOT_PARSE_TEXT$/,
    );
    expect(await refusal('select 1; select 2')).toMatch(/^query: ClickHouse: Syntax error/);
    expect(await refusal('show tables')).toBe('query: only SELECT can run');
    expect(await refusal('select * from event_keys')).toMatch(/no table "event_keys"; the tables are events/);
  });

  it('leaves no copies of people and groups behind', async () => {
    await rowsOf('select count() from people, groups');
    await refusal('select toInt64(person_id) from people, groups');
    for (const table of ['sql_people', 'sql_groups']) {
      expect(await stored(`select count() as n from ${table}`)).toEqual([{ n: 0 }]);
    }
  });

  describe('apart from its service', () => {
    const noRows = async function* () {};
    const compute = (query: string, people: SqlQueriesStore['people'] = noRows) =>
      createClickHouseSql({
        client,
        rows: { people, groups: noRows },
        memoryBytes: 125_000_000,
        spillBytes: 10_000_000,
        timeoutMs: 30_000,
      }).compute(
        { projectId: 'shop', personIds: undefined } as FoundSource,
        { query, params: {} },
        { from: 0, to: 1 },
        AbortSignal.timeout(30_000),
      );

    it('ends a query that writes too many intermediate results to disk', async () => {
      const groups = (count: number) =>
        `select count() from (select cityHash64(number) as h from numbers(${count}) group by h)`;
      expect(await compute(groups(1_000_000))).toMatchObject({ rows: '[[1000000]]' });
      const error: unknown = await compute(groups(6_000_000)).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(QueryTooLarge);
      expect((error as Error).message).toBe('The query is too large.');
    }, 30_000);

    it('quotes no person in the error of a copy that fails', async () => {
      const error: unknown = await compute('select count() from people', async function* () {
        yield ['{"person_id":"mallory","first_seen_at":"mallory@blog"}'];
      }).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Refused);
      expect(inspect(error)).not.toContain('mallory');
    });
  });

  describe('of an attacker', () => {
    it.each([
      "select * from events where toInt64(distinct_id) = 5 and name = 'x'",
      "select count() from events where toInt64(replaceAll(replaceAll(distinct_id, 'ada', '1'), 'visitor', '2')) >= 0",
      "select count() from events where toInt64(replaceAll(replaceAll(person_id, 'ada', '1'), 'visitor', '2')) >= 0",
      "select count() from events where intDiv(1, if(name = 'mallory', 0, 1)) = 1",
      "select count() from events where intDiv(1, if(distinct_id like 'mallory%', 0, 1)) = 1 and bot in (true, false)",
      "select count() from events where toInt64(replaceRegexpAll(ifNull(session_id, '1'), '^s', '')) > 0",
      "select count() from events where toFloat64(if(JSONExtractString(properties, 'total') = '', '1', JSONExtractString(properties, 'total'))) = 1",
      "select count() from people where intDiv(1, if(JSONExtractString(traits, 'email') = 'ada@blog', 0, 1)) = 1",
      "select count() from groups where intDiv(1, if(id like '%blog', 0, 1)) = 1",
      "select count() from events as e join events as f on intDiv(1, if(f.name = 'mallory', 0, 1)) = 1 and e.event_id = f.event_id",
      "select 'blog' as project_id, count() from events having intDiv(1, if(max(name = 'mallory'), 0, 1)) = 1",
      "select tuple('blog') as e, tuple('shop') as sent, count() from events where intDiv(1, if(name = 'mallory', 0, 1)) = 1",
    ])('evaluates no condition on a row of another project: %s', async (query) => {
      const { body, status } = await analytics.call('POST', '/v1/projects/shop/insights/sql', {
        body: { query },
      });
      const text = JSON.stringify(body);
      expect(text).not.toMatch(/mallory|blog@/);
      // The first one fails on a row of the project itself.
      expect([200, query.includes("name = 'x'") ? 400 : 200], text).toContain(status);
    });

    it.each([
      'select * from events',
      'select * from people',
      'select * from groups',
      'select * from sessions',
      "select 'blog' as project_id, 'secret' as event_id, e.* from events as e",
      'with person_ids as (select * from events), events as (select * from person_ids) select * from events',
      'select * from (select * from events) as e full join people as p on 1 = 1',
    ])('reads no other project: %s', async (query) => {
      const body = JSON.stringify(await run(query));
      expect(body).not.toMatch(/mallory|@blog|acme of blog/);
    });

    it('ends no statement by the names that it gives', async () => {
      const names = [
        'x`) settings readonly = 0 -- ',
        "x'; drop table events; --",
        'x\\',
        '{PROJECT:String}',
        ' "\n',
      ];
      const quotedName = (name: string) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
      const query = `select ${names.map((name, at) => `${at} as ${quotedName(name)}`).join(', ')} from events as ${quotedName(names[0] ?? '')} limit 1`;
      const { columns, rows } = await run(query);
      expect([columns.map(({ name }) => name), rows]).toEqual([names, [[0, 1, 2, 3, 4]]]);
    });

    it('is held to its project by ClickHouse itself', async () => {
      const additional_table_filters = SettingsMap.from(filtersOf({ PROJECT: "sh'op", RUN: 'x' }));
      const tables = await stored<{ name: string }>(
        "select name from system.tables where database = currentDatabase() and engine <> 'MaterializedView'",
      );
      expect(tables.length).toBeGreaterThan(10);
      for (const { name } of tables) {
        const query = `select count() as n from ${name}`;
        const result = await client.query({
          query,
          format: 'JSONEachRow',
          clickhouse_settings: { additional_table_filters },
        });
        expect([name, await result.json()]).toEqual([name, [{ n: 0 }]]);
      }
    });

    const grown = Array.from(
      { length: 9 },
      (_, at) => `t${at + 1} as (select concat(${Array(16).fill('a').join(', ')}) as a from t${at})`,
    );
    it.each([
      [
        `with t0 as (select toString(number) as a from numbers(1)), ${grown.join(', ')} select length(a) from t9`,
        400,
      ],
      ['select length(groupArray(number)) from numbers(1000000000)', 400],
      ['select sum(has(range(1000000), number + 1000000)) from numbers(100000)', 400],
      ['select arrayJoin(range(1000000)) from numbers(1000)', 400],
      [
        `select 1 as a0, ${Array.from({ length: 30 }, (_, at) => `(a${at} + a${at}) as a${at + 1}`).join(', ')}`,
        400,
      ],
      [
        'select count() from numbers(10000000) as a, numbers(10000000) as b where sipHash64(a.number, b.number) = 1',
        503,
      ],
      ['select (select count() from numbers(100000000000) where number % 7 = 8) as n', 503],
      [ENDLESS, 503],
    ])(
      'is stopped at its limits: %s',
      async (query, status) => {
        const { error } = await run(query, {}, status);
        expect(error.message).toMatch(
          status === 503 ? /too long/ : /too much memory|cannot compute|too big/i,
        );
        expect(await rowsOf('select 1')).toEqual([[1]]);
      },
      30_000,
    );
  });
});
