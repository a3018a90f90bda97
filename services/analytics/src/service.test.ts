import { setTimeout } from 'node:timers/promises';
import { ARCHIVE_FILES_TOPIC, archivedOffsetsRecord } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import type { TestEvent } from './testing/reference.ts';
import { useAnalytics } from './testing/service.ts';

const analytics = await useAnalytics();

/** Milliseconds between the service's checks of how far events are stored. */
const POLL_MS = 1_000;
const NOON = Date.parse('2026-03-01T12:00:00Z');
const event = (id: string, more: Partial<TestEvent> = {}): TestEvent => ({
  id,
  t: NOON,
  name: 'order placed',
  person: 'ada',
  session: null,
  properties: { plan: 'pro', total: 10 },
  context: { os: 'iOS' },
  ...more,
});
const range = { from: '2026-03-01', to: '2026-03-02' };
const orders = { kind: 'trends', range, series: [{ event: 'order placed' }] };
const ask = (
  body: unknown,
  more: { project?: string; sub?: string; headers?: Record<string, string> } = {},
) => analytics.call('POST', `/v1/projects/${more.project ?? 'shop'}/insights`, { body, ...more });
const valuesOf = async (body: unknown) => {
  const answer = await ask(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return (answer.body as { report: { series: { values: number[] }[] } }).report.series[0]?.values;
};

describe('insights', () => {
  it("answers a query from the project's own files, and computes it again when newer ones arrive", async () => {
    const first = await ask(orders);
    expect(first).toMatchObject({
      status: 200,
      body: {
        asOf: expect.stringMatching(/Z$/),
        report: { kind: 'line', buckets: ['2026-03-01', '2026-03-02'], series: [{ values: [0, 0] }] },
      },
    });
    await analytics.archive('shop', 'one', [event('a'), event('b', { name: 'page seen' })]);
    await analytics.archive('blog', 'theirs', [event('c')]);
    const second = await ask(orders);
    expect(await valuesOf(orders)).toEqual([1, 0]);
    const headers = { 'If-None-Match': second.headers.get('etag') ?? '' };
    expect((await ask(orders, { headers })).status).toBe(304);
    await analytics.archive('shop', 'two', [event('d', { t: NOON + 86_400_000 })]);
    expect((await ask(orders, { headers })).status).toBe(200);
    expect(await valuesOf(orders)).toEqual([1, 1]);
  });

  it('reads a file in place of those it replaces', async () => {
    const key = 'events/2026-03-01/two.parquet';
    await analytics.archive('shop', 'three', [event('d'), event('e')], { replaces: [key] });
    expect(await valuesOf(orders)).toEqual([3, 0]);
    await analytics.remove(key);
    expect(await valuesOf(orders)).toEqual([3, 0]);
  });

  it.each([
    ['trends', { ...orders, breakdown: { property: 'plan' }, compare: 'previous' }],
    ['funnel', { kind: 'funnel', range, steps: [{ event: 'page seen' }, { event: 'order placed' }] }],
    [
      'retention',
      {
        kind: 'retention',
        range,
        start: { event: 'page seen' },
        return: { event: 'order placed' },
        periods: 2,
      },
    ],
    ['paths', { kind: 'paths', range, after: { event: 'page seen' } }],
    ['stickiness', { kind: 'stickiness', range, series: [{ event: 'order placed' }] }],
    ['lifecycle', { kind: 'lifecycle', range }],
  ])('answers a query of kind %s', async (_kind, query) => {
    await eventually(async () => expect(await ask(query)).toMatchObject({ status: 200 }));
  });

  it('rejects a query it cannot answer, with what to change', async () => {
    const refused = async (query: object) => {
      const { status, body } = await ask({ ...orders, ...query });
      return [status, (body as { error: { message: string } }).error.message];
    };
    expect(await refused({ series: [{ event: 'a', color: 'red' }] })).toEqual([
      400,
      expect.stringContaining('series[0]: unknown property'),
    ]);
    expect(await refused({ cohort: 'unknown' })).toEqual([400, expect.stringContaining('cohort:')]);
    expect(await refused({ range: { last: 400, unit: 'month' } })).toEqual([
      400,
      expect.stringContaining('range: more than 400 intervals'),
    ]);
  });

  it('answers insights only to members of the company', async () => {
    expect((await ask(orders, { sub: 'eve' })).status).toBe(403);
    expect((await ask(orders, { project: 'unknown' })).status).toBe(404);
  });

  it('treats the texts of a query as values', async () => {
    const name = "'; drop table x; --";
    await analytics.archive('shop', 'hostile', [event('h', { name, properties: { [name]: name } })]);
    const where = [{ attribute: name, op: 'eq', value: name }];
    expect(await valuesOf({ ...orders, series: [{ event: name, where }] })).toEqual([1, 0]);
  });
});

describe('exploring events', () => {
  const get = async (path: string) => (await analytics.call('GET', `/v1/projects/blog/${path}`)).body;

  it('lists events newest first, in pages, with their names and properties', async () => {
    const t = Date.now() - 3_600_000;
    const many = Array.from({ length: 120 }, (_, index) =>
      event(`m${String(index).padStart(3, '0')}`, {
        t: t + (index % 7),
        name: 'seen',
        properties: { n: index % 3, 'a/b': 'ü' },
      }),
    );
    await analytics.archive('blog', 'many', many);
    const pages: string[] = [];
    let cursor = '';
    do {
      const page = (await get(`events?name=seen${cursor}`)) as {
        events: { eventId: string }[];
        nextCursor: string | null;
      };
      pages.push(...page.events.map(({ eventId }) => eventId));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    const newestFirst = many.toSorted((a, b) => b.t - a.t || (a.id < b.id ? 1 : -1)).map(({ id }) => id);
    expect(pages).toEqual(newestFirst);
    expect(await get('events?distinct_id=nobody')).toMatchObject({ events: [], nextCursor: null });
    expect(await get('event-names')).toMatchObject({ eventNames: [{ name: 'seen', count: 120 }] });
    expect(await get('event-names/seen/properties')).toMatchObject({
      properties: [
        { name: 'a/b', count: 120, types: ['text'], values: [{ value: 'ü', count: 120 }] },
        {
          name: 'n',
          count: 120,
          types: ['number'],
          values: [{ value: '0' }, { value: '1' }, { value: '2' }],
        },
      ],
    });
  });

  it('rejects an invalid cursor', async () => {
    expect((await analytics.call('GET', '/v1/projects/blog/events?cursor=x')).status).toBe(400);
  });
});

describe('events of any year that a client can claim', () => {
  const series = [{ event: 'aged' }];
  const answered = async (query: object) => {
    const { status, body } = await ask({ range, ...query }, { project: 'museum' });
    expect(status, JSON.stringify(body)).toBe(200);
    return (body as { report: { series: { values: number[] }[] } }).report.series.map(({ values }) => values);
  };
  beforeAll(async () => {
    await analytics.directory.putProject({ id: 'museum', members: ['ada'] });
    await analytics.archive('museum', 'years', [
      event('first', { t: Date.parse('0000-01-01T00:00:00.000Z'), name: 'aged', person: 'eve' }),
      event('eastern', { t: Date.parse('0000-12-31T20:00:00.000Z'), name: 'aged' }),
      event('now', { name: 'aged', person: 'eve' }),
      event('last', { t: Date.parse('9999-12-31T23:59:59.999Z'), name: 'aged' }),
    ]);
  });

  it('counts events of any year, and still learns of later files', async () => {
    await analytics.archive('museum', 'later', [event('later', { name: 'aged' })]);
    expect(await answered({ kind: 'trends', series })).toEqual([[2, 0]]);
    const [fresh, , resurrecting] = await answered({ kind: 'lifecycle', event: 'aged' });
    expect([fresh, resurrecting]).toEqual([
      [0, 0],
      [2, 0],
    ]);
  });

  it('counts events in ranges at both ends of the calendar', async () => {
    const first = { range: { from: '0001-01-01', to: '0001-01-02' }, timezone: 'Asia/Tokyo' };
    expect(await answered({ kind: 'trends', series, compare: 'previous', ...first })).toEqual([[1, 0]]);
    const last = { range: { from: '9999-12-30', to: '9999-12-31' } };
    expect(await answered({ kind: 'trends', series, compare: 'previous', ...last })).toEqual([[0, 1]]);
  });

  it.each([
    ['trends', { series, compare: 'previous' }],
    ['funnel', { steps: [...series, { event: 'b' }], window: { count: 10_000, unit: 'week' } }],
    ['retention', { start: { event: 'a' }, return: { event: 'b' }, periods: 60 }],
    ['retention', { start: { event: 'a' }, return: { event: 'b' }, periods: 60, mode: 'every' }],
    ['stickiness', { series }],
    ['lifecycle', {}],
  ])('answers %s at both ends of the calendar in any time zone', async (kind, query) => {
    for (const day of ['0001-01-01', '9999-12-31']) {
      for (const timezone of ['UTC', 'Pacific/Kiritimati', 'America/St_Johns', 'Etc/GMT+12']) {
        for (const interval of ['hour', 'day', 'week', 'month']) {
          const body = { kind, range: { from: day, to: day }, timezone, interval, ...query };
          const answer = await ask(body, { project: 'museum' });
          expect(answer.status, JSON.stringify([body, answer.body])).toBe(200);
        }
      }
    }
  });

  it('lists events since any time, and after any place', async () => {
    const ids = async (query: string) => {
      const { body } = await analytics.call('GET', `/v1/projects/museum/events?${query}`);
      return (body as { events?: { eventId: string }[] }).events?.map(({ eventId }) => eventId);
    };
    const all = ['last', 'now', 'later'];
    expect(await ids('since=0001-01-01T00:00:00Z')).toEqual(all);
    expect(await ids('since=0001-01-01T14:00:00%2B14:00')).toEqual(all);
    expect(await ids('since=0000-12-31T23:59:59Z')).toBeUndefined();
    expect(await ids('since=9999-12-31T23:59:59-14:00')).toBeUndefined();
    const cursorOf = (t: string) => Buffer.from(`${t} x`).toString('base64url');
    expect(await ids(`since=0001-01-01T00:00:00Z&cursor=${cursorOf('999999999999999')}`)).toEqual(all);
    expect(await ids(`since=0001-01-01T00:00:00Z&cursor=${cursorOf('-999999999999999')}`)).toEqual([]);
  });
});

describe('people', () => {
  const at = (second: number) => new Date(NOON + second * 1000).toISOString();
  const call = (person: string, traits: object, second = 0) => ({
    key: person,
    value: {
      project_id: 'team',
      distinct_id: person,
      traits,
      timestamp: at(second),
      received_at: at(second),
    },
  });
  const cohort = (id: string, more: object) => ({
    key: JSON.stringify(['team', id]),
    value: { projectId: 'team', id, match: [], distinctIds: [], ...more },
  });
  const person = async (id: string) =>
    (await analytics.call('GET', `/v1/projects/team/people/${encodeURIComponent(id)}`)).body;
  /** Retries, because cached results may remain for a few seconds when only traits change. */
  const seen = (body: object, expected: unknown) =>
    eventually(async () => {
      const answer = await ask({ ...orders, ...body }, { project: 'team' });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      const { series } = (answer.body as { report: { series: { name: string; values: number[] }[] } }).report;
      expect(Object.fromEntries(series.map(({ name, values }) => [name, values[0]]))).toEqual(expected);
    });
  beforeAll(async () => {
    await analytics.directory.putProject({ id: 'team', members: ['ada'] });
    await analytics.archive('team', 'team', [
      event('1', { person: 'ada' }),
      event('2', { person: 'bob' }),
      event('3', { person: "o'né" }),
      event('4', { person: 'dan', t: Date.now() - 1000 }),
    ]);
    const bob = call('bob', { seats: 3 }).value;
    await analytics.publish('identifies', [call('ada', { plan: 'pro' }), call("o'né", { plan: 'free' })]);
    await analytics.publish('groups', [
      { key: 'bob', value: { ...bob, group_type: 'company', group_id: 'acme' } },
    ]);
    await analytics.publish('cohorts', [
      cohort('payers', { match: [{ attribute: 'plan', op: 'eq', value: 'pro' }], distinctIds: ["o'né"] }),
      cohort('large', { distinctIds: null }),
    ]);
  });

  it('tells people apart by traits, groups and cohorts in queries', async () => {
    await seen({ breakdown: { property: 'trait.plan' } }, { pro: 1, free: 1, '(none)': 1 });
    await seen({ breakdown: { property: 'group.company.seats' } }, { 3: 1, '(none)': 2 });
    await seen({ cohort: 'payers' }, { 'order placed': 2 });
    const where = [{ attribute: 'cohort', op: 'not_in_cohort', value: 'payers' }];
    await seen({ where }, { 'order placed': 1 });
    await analytics.publish('identifies', [call('ada', { plan: 'free' }, 1), call('ada', { plan: 'old' })]);
    await seen({ breakdown: { property: 'trait.plan' } }, { free: 2, '(none)': 1 });
    await seen({ cohort: 'payers' }, { 'order placed': 1 });
    await analytics.publish('cohorts', [cohort('payers', { distinctIds: ['bob', 'ada'] })]);
    await seen({ cohort: 'payers' }, { 'order placed': 2 });
    const refused = await ask({ ...orders, cohort: 'large' }, { project: 'team' });
    expect([refused.status, JSON.stringify(refused.body)]).toEqual([
      400,
      expect.stringContaining('too large'),
    ]);
  });

  it('counts the persons of all history as soon as ids are joined or parted', async () => {
    await analytics.directory.putProject({ id: 'joining', members: ['ada'] });
    await analytics.archive('joining', 'joining', [
      event('1', { person: 'visitor', name: 'seen' }),
      event('2', { person: 'ada', t: NOON + 1 }),
    ]);
    const steps = [{ event: 'seen' }, { event: 'order placed' }];
    const countsAre = (counts: number[]) =>
      eventually(async () => {
        const { body } = await ask({ kind: 'funnel', range, steps }, { project: 'joining' });
        expect(body).toMatchObject({ report: { steps: counts.map((count) => ({ count })) } });
      });
    const key = JSON.stringify(['joining', 'visitor']);
    const joined = { projectId: 'joining', distinctId: 'visitor', personId: 'ada' };
    await countsAre([1, 0]);
    await analytics.publish('people', [
      { key, value: { ...joined, joinedAt: at(0), by: { kind: 'identify' } } },
    ]);
    await countsAre([1, 1]);
    await analytics.publish('people', [{ key, value: null }]);
    await countsAre([1, 0]);
  });

  it('answers for any id of a person, with the traits and events of all ids', async () => {
    await analytics.directory.putProject({ id: 'several', members: ['ada'] });
    const identify = (id: string, traits: object, second: number) => {
      const { key, value } = call(id, traits, second);
      return { key, value: { ...value, project_id: 'several' } };
    };
    const recent = { t: Date.now() - 1000 };
    await analytics.archive('several', 'several', [
      event('1', { person: 'phone' }),
      event('2', { person: 'ada' }),
      event('3', { person: 'bob' }),
      event('4', { person: 'phone', ...recent }),
      event('5', { person: 'ada', ...recent }),
    ]);
    await analytics.publish('identifies', [
      identify('phone', { plan: 'free', device: 'phone', old: 1 }, 1),
      identify('ada', { plan: 'pro', old: 1 }, 2),
      identify('phone', { old: null }, 3),
    ]);
    await analytics.publish('cohorts', [
      {
        key: JSON.stringify(['several', 'phones']),
        value: { ...cohort('phones', { distinctIds: ['phone'] }).value, projectId: 'several' },
      },
    ]);
    const key = JSON.stringify(['several', 'phone']);
    const joined = { projectId: 'several', distinctId: 'phone', personId: 'ada', joinedAt: at(4) };
    const by = { kind: 'colleague', sub: 'eve' };
    await analytics.publish('people', [{ key, value: { ...joined, by } }]);
    const find = async (path: string) => (await analytics.call('GET', `/v1/projects/several/${path}`)).body;
    const known = {
      distinctId: 'ada',
      ids: [
        { distinctId: 'ada', joinedAt: null, joinedBy: null },
        { distinctId: 'phone', joinedAt: at(4), joinedBy: by },
      ],
      cohorts: ['phones'],
    };
    for (const id of ['ada', 'phone']) {
      const found = await find(`people/${id}`);
      expect(found).toMatchObject(known);
      expect(found).toHaveProperty('traits', { device: 'phone', plan: 'pro' });
      expect(found).toHaveProperty('ids.0.firstSeenAt', expect.stringMatching(/Z$/));
      const events = (await find(`events?distinct_id=${id}`)) as { events: { eventId: string }[] };
      expect(events.events.map(({ eventId }) => eventId).sort()).toEqual(['4', '5']);
    }
    const ofPlan = async () => {
      const breakdown = { property: 'trait.plan' };
      const { body } = await ask({ ...orders, breakdown }, { project: 'several' });
      expect(body).toMatchObject({
        report: {
          series: [
            { name: 'pro', values: [2, 0] },
            { name: '(none)', values: [1, 0] },
          ],
        },
      });
    };
    await eventually(ofPlan);
  });

  it('finds a person by distinct id, with traits, groups, cohorts and events', async () => {
    await analytics.publish('cohorts', [cohort('known', { distinctIds: ["o'né"] })]);
    expect(await person("o'né")).toMatchObject({ traits: { plan: 'free' }, groups: [], cohorts: ['known'] });
    expect(await person('bob')).toMatchObject({
      groups: [{ type: 'company', id: 'acme', traits: { seats: 3 } }],
    });
    expect(await person('dan')).toMatchObject({ traits: {}, events: [{ eventId: '4' }] });
    const named = JSON.parse('{"__proto__":"x"}');
    await analytics.publish('identifies', [call('eve', named)]);
    await eventually(async () =>
      expect(JSON.stringify(await person('eve'))).toContain('"traits":{"__proto__":"x"}'),
    );
    expect(await person('nobody')).toMatchObject({ traits: {}, groups: [], cohorts: [], events: [] });
    const other = await analytics.call('GET', '/v1/projects/blog/people/bob');
    expect(other.body).toMatchObject({ traits: {}, groups: [], cohorts: [] });
    expect((await analytics.call('GET', '/v1/projects/team/people/bob', { sub: 'eve' })).status).toBe(403);
  });

  it('rejects a query with more cohorts than it may read, and answers one with fewer', async () => {
    const named = (count: number) => Array.from({ length: count }, (_, index) => `many-${index}`);
    const refusal = async (...values: string[][]) => {
      const where = values.map((value) => ({ attribute: 'cohort', op: 'not_in_cohort', value }));
      const { status, body } = await ask({ ...orders, where }, { project: 'team' });
      return [status, (body as { error?: { message: string } }).error?.message];
    };
    expect(await refusal(named(20), named(20))).toEqual([200, undefined]);
    expect(await refusal(named(11), named(21).slice(10))).toEqual([
      400,
      'where[1]: the query names 21 cohorts; name at most 20 different ones',
    ]);
    const distinctIds = Array.from({ length: 1000 }, (_, index) => `${index}`.padEnd(1000, 'x'));
    await analytics.publish(
      'cohorts',
      named(8).map((id) => cohort(id, { distinctIds })),
    );
    expect(await refusal(named(7))).toEqual([200, undefined]);
    expect(await refusal(named(8))).toEqual([
      400,
      expect.stringMatching(/^where\[0\]: .* more than 8 MB together; name fewer or smaller cohorts$/),
    ]);
  });

  it('counts no one in a cohort that was deleted', async () => {
    await analytics.publish('cohorts', [{ key: JSON.stringify(['team', 'payers']), value: null }]);
    const where = [{ attribute: 'cohort', op: 'in_cohort', value: ['payers'] }];
    await seen({ where }, { 'order placed': 0 });
    expect((await ask({ ...orders, cohort: 'payers' }, { project: 'team' })).status).toBe(400);
  });
});

it('reports how far it knows events, which is how far the archive says they are in files', async () => {
  const { log } = analytics;
  const asOf = async () => Date.parse(((await ask(orders)).body as { asOf: string }).asOf);
  await eventually(async () => expect(await asOf()).toBeGreaterThan(Date.now() - 60_000));

  // Events are committed by an archive that cannot publish its files yet.
  const archive = await log.consume({ group: 'archive.events', topics: ['events'], handle: async () => {} });
  await log.publish('events', [{ partition: 0, key: 'shop', value: Buffer.from('{}'), headers: {} }]);
  await eventually(async () => expect(await log.committedOffsets('archive.events', 'events')).toEqual([1n]));
  await archive.stop();
  await setTimeout(POLL_MS);
  const before = await asOf();
  await setTimeout(3 * POLL_MS);
  expect(await asOf()).toBe(before);

  await log.publish(ARCHIVE_FILES_TOPIC, [{ partition: 0, ...archivedOffsetsRecord('us', [9n]) }]);
  await analytics.archive('shop', 'late', [event('late')]);
  expect(await asOf()).toBe(before);
  const now = Date.now();
  await log.publish(ARCHIVE_FILES_TOPIC, [{ partition: 0, ...archivedOffsetsRecord('eu', [1n]) }]);
  await eventually(async () => expect(await asOf()).toBeGreaterThan(now));
});
