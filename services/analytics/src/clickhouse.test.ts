import { ingestionTopics } from '@switchboard/contracts';
import { eventually, startClickHouse } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClickHouse } from './clickhouse/client.ts';
import { startAnalytics } from './testing/service.ts';

const server = await startClickHouse();
afterAll(() => server?.stop());

const NOON = '2026-03-01T12:00:00.000Z';
const range = { from: '2026-03-01', to: '2026-03-02' };
const orders = { kind: 'trends', range, series: [{ event: 'order placed' }] };

describe.skipIf(server === undefined)('queries with CLICKHOUSE_URL', () => {
  let analytics: Awaited<ReturnType<typeof startAnalytics>>;
  beforeAll(async () => {
    analytics = await startAnalytics(
      { CLICKHOUSE_URL: server?.url ?? '' },
      { sink: { blockAgeMs: 20 }, queryLimits: { timeoutMs: 5_000 } },
    );
  });
  afterAll(() => analytics.stop());

  const ask = (body: unknown, headers: Record<string, string> = {}) =>
    analytics.call('POST', '/v1/projects/shop/insights', { body, headers });
  const get = async (path: string) => (await analytics.call('GET', `/v1/projects/shop/${path}`)).body;
  const valuesOf = async (body: unknown) => {
    const answer = await ask(body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return (answer.body as { report: { series: { values: number[] }[] } }).report.series[0]?.values;
  };

  async function send(project: string, events: readonly object[]): Promise<void> {
    const lines = events.map((event) =>
      JSON.stringify({
        event_name: 'order placed',
        distinct_id: 'ada',
        schema_version: 1,
        timestamp: NOON,
        occurred_at: NOON,
        properties: { plan: 'pro', total: 10 },
        context: { os: 'iOS' },
        ...event,
      }),
    );
    const headers = { project, received_at: NOON };
    const value = Buffer.from(lines.join('\n'));
    await analytics.log.publish(ingestionTopics.events, [{ partition: 0, key: project, value, headers }]);
    await eventually(async () => {
      const lags = await analytics.log.lag('analytics.clickhouse', [ingestionTopics.events]);
      if (lags.length === 0 || lags.some(({ behind }) => behind > 0n)) throw new Error('not inserted yet');
    });
  }

  it("answers a query from the project's own events in ClickHouse, and computes it again when newer events arrive", async () => {
    await send('shop', [{ event_id: 'a' }, { event_id: 'b', event_name: 'page seen' }]);
    await send('blog', [{ event_id: 'a' }]);
    await eventually(async () => expect(await valuesOf(orders)).toEqual([1, 0]));
    const etag = (await ask(orders)).headers.get('etag') ?? '';
    await send('blog', [{ event_id: 'b' }]);
    expect((await ask(orders, { 'If-None-Match': etag })).status).toBe(304);
    await send('shop', [{ event_id: 'c', occurred_at: '2026-03-02T00:00:00.000Z' }]);
    await eventually(async () => expect(await valuesOf(orders)).toEqual([1, 1]));
    expect((await ask(orders, { 'If-None-Match': etag })).status).toBe(200);
  });

  it.each([
    [
      'funnel',
      { steps: [{ event: 'page seen' }, { event: 'order placed' }], breakdown: { property: 'plan' } },
    ],
    ['retention', { start: { event: 'page seen' }, return: { event: 'order placed' }, periods: 2 }],
    ['paths', { after: { event: 'page seen' }, property: 'plan' }],
    ['stickiness', { series: [{ event: 'order placed' }] }],
    ['lifecycle', {}],
  ])('answers a query of kind %s from ClickHouse', async (kind, query) => {
    await eventually(async () => expect(await ask({ kind, range, ...query })).toMatchObject({ status: 200 }));
  });

  it('treats the texts of a query as values, not as SQL', async () => {
    const name = `'; drop table events; -- {p0:String} \\ \n\t"`;
    await send('shop', [{ event_id: 'h', event_name: name, properties: { [name]: name } }]);
    const where = [{ attribute: name, op: 'eq', value: name }];
    const query = { ...orders, series: [{ event: name, where }], breakdown: { property: name } };
    await eventually(async () => expect(await valuesOf(query)).toEqual([1, 0]));
  });

  it('answers queries about traits from ClickHouse', async () => {
    const call = {
      project_id: 'shop',
      distinct_id: 'ada',
      traits: { plan: 'gold' },
      timestamp: NOON,
      received_at: NOON,
    };
    await analytics.publish(ingestionTopics.identifies, [{ key: 'ada', value: call }]);
    const where = (value: string) => ({ ...orders, where: [{ attribute: 'trait.plan', op: 'eq', value }] });
    await eventually(async () => expect(await valuesOf(where('gold'))).toEqual([1, 1]));
    expect(await valuesOf(where('silver'))).toEqual([0, 0]);
  });

  it('answers queries about the traits of groups from ClickHouse', async () => {
    const call = {
      project_id: 'shop',
      distinct_id: 'ada',
      group_type: 'größe "1"',
      group_id: 'acme',
      traits: { seats: 7 },
      timestamp: NOON,
      received_at: NOON,
    };
    await analytics.publish(ingestionTopics.groups, [{ key: 'ada', value: call }]);
    const attribute = 'group.größe "1".seats';
    const where = (value: number) => ({ ...orders, where: [{ attribute, op: 'eq', value }] });
    await eventually(async () => expect(await valuesOf(where(7))).toEqual([1, 1]));
    expect(await valuesOf(where(8))).toEqual([0, 0]);
  });

  it('lists events, names, properties and people from ClickHouse', async () => {
    const t = new Date(Date.now() - 60_000).toISOString();
    await send('shop', [
      { event_id: 'n1', event_name: 'seen', occurred_at: t, properties: { 'a/b': 'x', n: 1 } },
      { event_id: 'n2', event_name: 'seen', occurred_at: t, properties: { 'a/b': ['x'], n: null } },
    ]);
    const first = await get('events?name=seen&limit=1');
    expect(first).toMatchObject({
      events: [{ eventId: 'n2', occurredAt: t, properties: { 'a/b': ['x'], n: null } }],
    });
    const { nextCursor } = first as { nextCursor: string };
    expect(await get(`events?name=seen&cursor=${nextCursor}`)).toMatchObject({
      events: [{ eventId: 'n1', context: { os: 'iOS' }, sessionId: null }],
      nextCursor: null,
    });
    // Accepted before the time that the events claim.
    expect(await get('event-names')).toMatchObject({
      eventNames: [{ name: 'seen', count: 2, lastSeenAt: NOON }],
    });
    expect(await get('event-names/seen/properties')).toMatchObject({
      properties: [
        {
          name: 'a/b',
          count: 2,
          lastSeenAt: NOON,
          types: ['list', 'text'],
          values: [{ value: '["x"]' }, { value: 'x' }],
        },
        {
          name: 'n',
          count: 2,
          lastSeenAt: NOON,
          types: ['null', 'number'],
          values: [{ value: '1', count: 1 }],
        },
      ],
    });
    expect(await get('people/ada')).toMatchObject({ events: [{ eventId: 'n2' }, { eventId: 'n1' }] });
  });

  it('answers 503 with Retry-After while ClickHouse does not respond, and answers again afterwards', async () => {
    server?.pause();
    const late = await ask({ ...orders, timezone: 'Europe/Berlin' });
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '5']);
    server?.resume();
    await server?.kill();
    const gone = await ask({ ...orders, timezone: 'Europe/Rome' });
    expect([gone.status, gone.headers.get('retry-after')]).toEqual([503, '5']);
    await server?.restart();
    await eventually(async () => expect(await valuesOf(orders)).toEqual([1, 1]));
  });
});

describe.skipIf(server === undefined)('traits of two million people', () => {
  let analytics: Awaited<ReturnType<typeof startAnalytics>>;
  beforeAll(async () => {
    const url = server?.url ?? '';
    analytics = await startAnalytics({ CLICKHOUSE_URL: url });
    // Until all of them are done, one removes people that PostgreSQL does not have.
    await eventually(async () => {
      const metrics = await (await fetch(`${analytics.url}/metrics`)).text();
      expect(metrics.match(/switchboard_backfill_done\{.* in ClickHouse .*\} 1/g)).toHaveLength(6);
    });
    const client = openClickHouse(url);
    await client.command({
      query: `insert into events (project_id, event_id, event_name, distinct_id, occurred_at, received_at)
        select 'blog', toString(number), 'page seen', toString(number), toDateTime64('2026-03-01 12:00:00', 3, 'UTC'),
          now64(3) from numbers(7)`,
    });
    await client.command({
      query: `insert into people (project_id, distinct_id, traits, groups, version)
        select 'blog', toString(number), concat('{"plan":"', if(number = 3, 'pro', 'free'), '"}'),
          concat('{"company":"', toString(number % 2), '"}'), 1 from numbers(2000000)`,
    });
    await client.command({
      query: `insert into groups (project_id, type, id, traits, version)
        values ('blog', 'company', '0', '{"size":1}', 1), ('blog', 'company', '1', '{"size":2}', 1)`,
    });
    await client.close();
  });
  afterAll(() => analytics.stop());

  it('reads the traits of two million people within the memory of one query', async () => {
    const seriesBy = async (property: string) => {
      const series = [{ event: 'page seen', measure: 'people' }];
      const answer = await analytics.call('POST', '/v1/projects/blog/insights', {
        body: {
          kind: 'trends',
          range: { from: '2026-03-01', to: '2026-03-01' },
          series,
          breakdown: { property },
        },
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const { report } = answer.body as { report: { series: { name: string; values: number[] }[] } };
      return Object.fromEntries(report.series.map(({ name, values }) => [name, values[0]]));
    };
    expect(await seriesBy('trait.plan')).toEqual({ free: 6, pro: 1 });
    expect(await seriesBy('group.company.size')).toEqual({ 1: 4, 2: 3 });
  });
});

describe.skipIf(server === undefined)('a funnel beyond the memory limit', () => {
  let analytics: Awaited<ReturnType<typeof startAnalytics>>;
  beforeAll(async () => {
    const url = server?.url ?? '';
    analytics = await startAnalytics({ CLICKHOUSE_URL: url, QUERY_MEMORY_BYTES: '100000000' });
    const client = openClickHouse(url);
    await client.command({
      query: `insert into events (project_id, event_id, event_name, distinct_id, occurred_at, received_at)
        select 'shop', toString(number), if(number % 2 = 0, 'page seen', 'order placed'), toString(number % 7),
          toDateTime64('2026-03-01 12:00:00', 3, 'UTC') + number % 60, now64(3) from numbers(3000000)`,
    });
    await client.close();
  });
  afterAll(() => analytics.stop());

  it('rejects a funnel that needs too much memory with a 400 that says what to narrow', async () => {
    const steps = ['page seen', 'order placed', 'page seen'].map((event) => ({ event }));
    const answer = await analytics.call('POST', '/v1/projects/shop/insights', {
      body: { kind: 'funnel', range, steps },
    });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toMatch(/too much memory; use a shorter range or narrow it/);
  });
});
