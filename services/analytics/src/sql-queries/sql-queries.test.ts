import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ingestionTopics, PEOPLE_TOPIC, personKey } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { TestEvent } from '../testing/reference.ts';
import { startAnalytics, useAnalytics } from '../testing/service.ts';

const folder = await mkdtemp(join(tmpdir(), 'sql-'));
const analytics = await useAnalytics({ QUERY_FOLDER: folder }, { queryLimits: { timeoutMs: 6_000 } });
afterAll(() => rm(folder, { recursive: true }));

const ENDLESS = 'select count(*) from range(10000000) as a, range(10000000) as b where hash(a, b) = 1';

const HOUR_MS = 3_600_000;
const hoursAgo = (hours: number) => Date.now() - hours * HOUR_MS;
const event = (id: string, more: Partial<TestEvent> = {}): TestEvent => ({
  id,
  t: hoursAgo(2),
  name: 'order placed',
  person: 'ada',
  session: 's1',
  properties: { total: 10, plan: 'pro' },
  context: { sdk: 'browser' },
  ...more,
});

interface Answer {
  columns: { name: string; type: string }[];
  rows: unknown[][];
  truncated: boolean;
  error: { message: string };
}

async function run(query: string, more: object = {}, status = 200, project = 'shop'): Promise<Answer> {
  const answer = await analytics.call('POST', `/v1/projects/${project}/insights/sql`, {
    body: { query, ...more },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body as Answer;
}
const rowsOf = async (query: string, more: object = {}) => (await run(query, more)).rows;
const refusal = async (query: string, more: object = {}) => (await run(query, more, 400)).error.message;

async function identify(person: string, traits: object, group?: [string, string]): Promise<void> {
  const at = new Date().toISOString();
  const ofGroup = group && { group_type: group[0], group_id: group[1] };
  const value = {
    project_id: 'shop',
    distinct_id: person,
    traits,
    timestamp: at,
    received_at: at,
    ...ofGroup,
  };
  const topic = group === undefined ? ingestionTopics.identifies : ingestionTopics.groups;
  await analytics.publish(topic, [{ key: 'shop', value }]);
  await eventually(async () => {
    const lags = await analytics.log.lag('analytics.seen', Object.values(ingestionTopics).slice(0, 3));
    if (lags.length < 3 || lags.some(({ behind }) => behind > 0n)) throw new Error('not read yet');
  });
}

beforeAll(async () => {
  await analytics.archive('shop', 'sql', [
    event('1', { person: 'visitor', name: 'page viewed', t: hoursAgo(3), properties: { path: '/a' } }),
    event('2', { person: 'visitor', properties: { total: 10.5, plan: 'free' } }),
    event('3', { session: 's2', t: hoursAgo(1) }),
    event('4', { session: null, isBot: true, properties: null }),
    event('old', { t: hoursAgo(24 * 40) }),
  ]);
  await analytics.archive('blog', 'sql-of-blog', [event('secret', { person: 'eve' })]);
  // Small projects share files.
  const shared = { project: null, bucket: 0, buckets: 1 };
  const ofBoth = [
    event('shared', { person: 'mallory@example.com', project: 'blog' }),
    event('older', { t: hoursAgo(24 * 50) }),
  ];
  await analytics.archive('shop', 'sql-shared', ofBoth, shared);
  await identify('ada', { plan: 'pro', email: 'ada@example.com' });
  await identify('visitor', { city: 'Ulm' });
  await identify('ada', { tier: 'gold' }, ['company', 'acme']);
  await analytics.publish(PEOPLE_TOPIC, [
    {
      key: personKey('shop', 'visitor'),
      value: {
        projectId: 'shop',
        distinctId: 'visitor',
        personId: 'ada',
        joinedAt: new Date().toISOString(),
        by: { kind: 'identify' },
      },
    },
  ]);
  // Members are counted after the call is applied.
  await eventually(async () => {
    const { body } = await analytics.call('GET', '/v1/projects/shop/groups');
    expect(body).toMatchObject({ groups: [{ id: 'acme', members: 1 }] });
  });
});

describe('a SQL query', () => {
  it('reads the events of a project as columns with types', async () => {
    const { columns, rows, truncated } = await run(
      `select name, person_id, count(*) as n, sum((properties->>'total')::double) as total, min(occurred_at) as first
       from events group by all order by name desc`,
    );
    expect(columns).toEqual([
      { name: 'name', type: 'VARCHAR' },
      { name: 'person_id', type: 'VARCHAR' },
      { name: 'n', type: 'BIGINT' },
      { name: 'total', type: 'DOUBLE' },
      { name: 'first', type: 'TIMESTAMP WITH TIME ZONE' },
    ]);
    // The visitor is the person who joined it.
    expect(rows.map((row) => row.slice(0, 4))).toEqual([
      ['page viewed', 'ada', 1, null],
      ['order placed', 'ada', 3, 20.5],
    ]);
    expect(truncated).toBe(false);
  });

  it('reads the people, groups and sessions of a project', async () => {
    expect(
      await rowsOf("select person_id, traits->>'plan', traits->>'city', groups->>'company' from people"),
    ).toEqual([['ada', 'pro', 'Ulm', 'acme']]);
    expect(await rowsOf("select type, id, traits->>'tier', members from groups")).toEqual([
      ['company', 'acme', 'gold', 1],
    ]);
    expect(await rowsOf('select session_id, person_id, events from sessions order by 1')).toEqual([
      ['s1', 'ada', 2],
      ['s2', 'ada', 1],
    ]);
    expect(
      await rowsOf(`with orders as (select person_id, count(*) as n from events where name = 'order placed' group by all)
        select p.traits->>'email', n, rank() over (order by n desc) from orders join people as p using (person_id)`),
    ).toEqual([['ada@example.com', 3, 1]]);
  });

  it('binds parameters', async () => {
    const query =
      "select count(*) from events where properties->>'plan' = $plan and (properties->>'total')::double >= $least";
    expect(await rowsOf(query, { params: { plan: 'pro', least: 10 } })).toEqual([[1]]);
    expect(await rowsOf(query, { params: { plan: "' or true --", least: 0 } })).toEqual([[0]]);
    expect(await refusal(query, { params: { plan: 'pro' } })).toMatch(/\$least has no value/);
    expect(await refusal('select 1', { params: { plan: 'pro' } })).toMatch(/params has plan/);
  });

  it('reads the events of its range', async () => {
    expect(await rowsOf('select count(*) from events')).toEqual([[4]]);
    expect(await rowsOf('select count(*) from events', { range: { last: 60, unit: 'day' } })).toEqual([[6]]);
  });

  it('returns values as JSON', async () => {
    expect(
      await rowsOf(
        "select properties, 'nan'::double, null, [1, 2], {'a': true}, 1.50::decimal(4, 2) from events where event_id = '3'",
      ),
    ).toEqual([[{ total: 10, plan: 'pro' }, null, null, [1, 2], { a: true }, 1.5]]);
  });

  it('returns the first rows of a long result', async () => {
    const { rows, truncated } = await run('select n from range(20000) as t(n) order by n');
    expect([rows.length, rows.at(-1), truncated]).toEqual([10_000, [9_999], true]);
    const wide = await run(
      "select n, list_value(n, n, n, n, n, n, n, n, n, n)::varchar || md5('a') || md5('b') || md5('c') || md5('d') || md5('e') || md5('f') || md5('g') || md5('h') || md5('i') || md5('j') || md5('k') || md5('l') as wide from range(20000) as t(n)",
    );
    expect([wide.rows.length < 10_000, wide.truncated]).toEqual([true, true]);
  });

  it('names the fault of a query', async () => {
    expect(await refusal('select * form events')).toMatch(/^query: .*syntax error at or near/);
    expect(await refusal('select nme from events')).toMatch(/^query: .*"nme" not found.*name/s);
    expect(await refusal("select 'x'::integer")).toMatch(/^query: .*Could not convert string 'x'/);
    expect(await refusal('select 1; select 2')).toMatch(/one statement/);
    expect(await refusal('')).toMatch(/^query: /);
  });

  it('is known until there is more, and needs the permission to read people', async () => {
    const path = '/v1/projects/shop/insights/sql';
    const body = { query: 'select 1' };
    const { headers } = await analytics.call('POST', path, { body });
    const again = await analytics.call('POST', path, {
      body,
      headers: { 'If-None-Match': String(headers.get('etag')) },
    });
    expect([200, 304]).toContain(again.status);
    expect((await analytics.call('POST', path, { body, sub: 'eve' })).status).toBe(403);
  });
});

describe('a SQL query of an attacker', () => {
  it.each([
    ["select * from read_parquet('/tmp/*.parquet')", /the function read_parquet is not allowed/],
    ["select * from '/etc/passwd'", /no table/],
    ["copy events to '/tmp/x'", /only SELECT/],
  ])('gets 400 for %s', async (query, message) => {
    expect(await refusal(query)).toMatch(message);
  });

  it('reads no other project, whatever it selects', async () => {
    expect(
      await rowsOf("select count(*) from events where event_id = 'secret' or distinct_id = 'eve'"),
    ).toEqual([[0]]);
    expect(await rowsOf('select distinct event_id from events order by 1')).toEqual([
      ['1'],
      ['2'],
      ['3'],
      ['4'],
    ]);
    expect((await run('select event_id from events order by 1', {}, 200, 'blog')).rows).toEqual([
      ['secret'],
      ['shared'],
    ]);
  });

  it.each([
    'select * from events where error(distinct_id) is null',
    "select * from events where ('of ' || distinct_id)::integer = 1",
    "select count(*) from events where distinct_id like 'mallory%' and ('of ' || distinct_id)::integer = 1",
  ])('shows no value of another project in an error: %s', async (query) => {
    const { body } = await analytics.call('POST', '/v1/projects/shop/insights/sql', { body: { query } });
    expect(JSON.stringify(body)).not.toContain('mallory@');
  });

  it('is stopped at its limits of memory and time, and leaves nothing behind', async () => {
    const grown = Array.from(
      { length: 18 },
      (_, index) => `t${index + 1} as (select a || a || a || a as a from t${index})`,
    );
    const huge = `with t0 as (select md5('x') as a), ${grown.join(', ')} select length(a) from t18`;
    expect(await refusal(huge)).toMatch(/too much memory/);
    const answer = await run(ENDLESS, {}, 503);
    expect(answer.error.message).toMatch(/too long/);
    expect(await rowsOf('select 1')).toEqual([[1]]);
    const [instance = ''] = await readdir(folder);
    expect(await readdir(join(folder, instance, 'files', 'sql'))).toEqual([]);
  });

  it('ends when its client leaves, and lets the next one run', async () => {
    const client = new AbortController();
    const patient = await startAnalytics({}, { queryLimits: { timeoutMs: 120_000 } });
    onTestFinished(() => patient.stop());
    const headers = {
      Authorization: `Bearer ${await patient.mint({ sub: 'ada' })}`,
      'Content-Type': 'application/json',
    };
    const send = (query: string, signal: AbortSignal) =>
      fetch(`${patient.url}/v1/projects/shop/insights/sql`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ query }),
        signal,
      });
    const left = send(ENDLESS, client.signal);
    const next = send('select 1', AbortSignal.timeout(60_000));
    setTimeout(() => client.abort(), 1_000);
    await expect(left).rejects.toThrow(/abort/);
    expect((await next).status).toBe(200);
  }, 90_000);

  it('delays no question of others while it runs', async () => {
    const slow = run(
      'select count(*) from range(10000000) a, range(10000000) b where hash(a, b) = 1',
      {},
      503,
    );
    const insight = await analytics.call('POST', '/v1/projects/blog/insights', {
      body: { kind: 'trends', range: { last: 7, unit: 'day' }, series: [{ event: 'order placed' }] },
    });
    expect(insight.status).toBe(200);
    await slow;
  });
});
