import { ALERTS_TOPIC, type AlertRecord } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { afterAll, expect, it } from 'vitest';
import { createErasure } from '../people/erasure.ts';
import { useAnalytics } from '../testing/service.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OPERATOR = { sub: 'op', permissions: ['service.manage'] };
const THIS_HOUR = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;

const analytics = await useAnalytics();
const database = openDatabase({ url: analytics.databaseUrl, applicationName: 'test' });
afterAll(() => database.close());

const records: AlertRecord[] = [];
await eventually(() => analytics.log.endOffsets(ALERTS_TOPIC));
const reading = await analytics.log.consume({
  group: 'test',
  topics: [ALERTS_TOPIC],
  async handle(batch) {
    for (const { value } of batch.records) records.push(JSON.parse(String(value)));
  },
});
afterAll(() => reading.stop());

const at = (t: number, count: number, name: string, person = 'ada') =>
  Array.from({ length: count }, (_, index) => ({
    id: `${name} ${t} ${person} ${index}`,
    name,
    person,
    t: t + index,
    session: null,
    properties: null,
    context: null,
  }));
await analytics.archive('shop', 'hours', [
  ...at(THIS_HOUR - 2 * HOUR_MS, 100, 'paid'),
  ...at(THIS_HOUR - HOUR_MS, 10, 'paid'),
  ...at(THIS_HOUR - HOUR_MS, 40, 'seen'),
]);
const day = TODAY - 10 * DAY_MS;
await analytics.archive('shop', 'days', [
  ...at(day, 1, 'cart', 'ada'),
  ...at(day, 1, 'cart', 'bob'),
  ...at(day + 60_000, 1, 'order', 'ada'),
]);

const path = (project: string, rest = '') => `/management/v1/projects/${project}/alerts${rest}`;
const DROP = {
  name: 'Payments drop',
  query: {
    kind: 'trends',
    range: { last: 7, unit: 'day' },
    interval: 'hour',
    series: [{ event: 'paid' }],
  },
  rule: { kind: 'change', direction: 'down', percent: 50 },
};

async function manage(method: string, rest: string, body?: object, status = 200, project = 'shop') {
  const answer = await analytics.call(method, path(project, rest), { ...OPERATOR, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body;
}
const of = (alertId: string) => records.filter((record) => record.alertId === alertId);
/** Returns an id that differs when a test is repeated. */
const newId = () => crypto.randomUUID();

it('fires once for a drop in the last complete hour, and recovers when it is disabled', async () => {
  const id = newId();
  expect(await manage('PUT', `/${id}`, DROP)).toMatchObject({ id, state: 'new', enabled: true });
  await eventually(() => expect(of(id)).toHaveLength(1));
  expect(of(id)[0]).toMatchObject({
    ...{ type: 'alert.fired', projectId: 'shop', name: 'Payments drop', value: 10, expected: 100 },
    bucket: new Date(THIS_HOUR - HOUR_MS).toISOString().slice(0, 16),
    rule: DROP.rule,
  });
  await manage('PUT', `/${id}`, { ...DROP, name: 'Payments collapse' });
  expect(await manage('GET', `/${id}`)).toMatchObject({
    ...{ state: 'firing', value: 10, error: null },
    incidents: [{ value: 10, expected: 100, endedAt: null, sent: true }],
  });
  await manage('PUT', `/${id}`, { ...DROP, enabled: false });
  await eventually(() => expect(of(id)).toHaveLength(2));
  const [fired, recovered] = of(id);
  expect(recovered).toMatchObject({ type: 'alert.recovered', ended: 'disabled', name: 'Payments collapse' });
  expect(recovered?.incidentId).toBe(fired?.incidentId);
  expect(await manage('GET', `/${id}`)).toMatchObject({ state: 'new', incidents: [{ ended: 'disabled' }] });
});

it('sends nothing while an alert is snoozed, and an incident that lasts when the snooze ends', async () => {
  const id = newId();
  await manage('PUT', `/${id}`, { ...DROP, enabled: false });
  await manage('POST', `/${id}/snooze`, { until: new Date(Date.now() + DAY_MS).toISOString() });
  await manage('PUT', `/${id}`, DROP);
  await eventually(async () =>
    expect(await manage('GET', `/${id}`)).toMatchObject({ state: 'firing', incidents: [{ sent: false }] }),
  );
  expect(of(id)).toEqual([]);
  await manage('POST', `/${id}/snooze`, { until: null });
  await eventually(() => expect(of(id)).toMatchObject([{ type: 'alert.fired' }]));
  await manage('DELETE', `/${id}`, undefined, 204);
  await eventually(() => expect(of(id)).toMatchObject([{}, { type: 'alert.recovered', ended: 'deleted' }]));
});

it('evaluates a formula, missing data, and the chosen series', async () => {
  const [rate, seen, none] = [newId(), newId(), newId()];
  const query = { ...DROP.query, series: [{ event: 'paid' }, { event: 'seen' }] };
  const above = { kind: 'threshold', above: 20 };
  await manage('PUT', `/${rate}`, { name: 'Rate', query: { ...query, formula: 'A / B * 100' }, rule: above });
  await manage('PUT', `/${seen}`, { name: 'Seen', query, series: 1, rule: { kind: 'threshold', below: 41 } });
  await manage('PUT', `/${none}`, {
    ...{ name: 'None', rule: { kind: 'missing' } },
    query: { ...DROP.query, series: [{ event: 'never' }] },
  });
  await eventually(() =>
    expect([rate, seen, none].map((id) => of(id).map(({ value }) => value))).toEqual([[25], [40], [0]]),
  );
});

it.each([undefined, 'over_time'])(
  'previews when a step of a funnel would have fired in the last 90 days, with the view %s',
  async (view) => {
    const body = {
      name: 'Checkout',
      query: {
        ...{ kind: 'funnel', view },
        range: { last: 1, unit: 'day' },
        interval: 'week',
        steps: [{ event: 'cart' }, { event: 'order' }],
        window: { count: 1, unit: 'hour' },
      },
      rule: { kind: 'threshold', below: 60 },
    };
    const answer = await analytics.call('POST', '/v1/projects/shop/alert-preview', { body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const { points, incidents } = Object(answer.body);
    const monday = day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
    const bucket = new Date(monday).toISOString().slice(0, 10);
    expect(points).toHaveLength(13);
    expect(points).toContainEqual({ bucket, value: 50, expected: 60, isFiring: true });
    // No one began in the weeks after, so nothing says that it recovered.
    expect(incidents).toEqual([{ startedBucket: bucket, endedBucket: null }]);
  },
);

it('evaluates a funnel over time by the values that its chart shows', async () => {
  const query = {
    ...{ kind: 'funnel', view: 'over_time', range: { last: 12, unit: 'day' }, interval: 'day' },
    steps: [{ event: 'cart' }, { event: 'order' }],
    window: { count: 1, unit: 'hour' },
  };
  const asked = await analytics.call('POST', '/v1/projects/shop/insights', { body: query });
  const { buckets, series } = Object(asked.body).report;
  const body = { name: 'Checkout', query, rule: { kind: 'missing' } };
  const previewed = await analytics.call('POST', '/v1/projects/shop/alert-preview', { body });
  const { points } = Object(previewed.body);
  // The windows of the last two days may not be over.
  const shown = buckets
    .slice(0, -2)
    .map((bucket: string, index: number) => [bucket, series[0].values[index]]);
  expect(shown).toContainEqual([new Date(day).toISOString().slice(0, 10), 50]);
  for (const [bucket, value] of shown)
    expect(points).toContainEqual(expect.objectContaining({ bucket, value }));
});

it('previews hours and their anomalies', async () => {
  const body = { ...DROP, rule: { kind: 'threshold', above: 50 } };
  const { body: found } = await analytics.call('POST', '/v1/projects/shop/alert-preview', { body });
  const { points, incidents } = Object(found);
  expect(points.length).toBeGreaterThanOrEqual(90 * 24 - 1);
  const labelOf = (t: number) => new Date(t).toISOString().slice(0, 16);
  expect(incidents).toEqual([
    { startedBucket: labelOf(THIS_HOUR - 2 * HOUR_MS), endedBucket: labelOf(THIS_HOUR - HOUR_MS) },
  ]);
  const anomaly = { ...DROP, rule: { kind: 'anomaly', direction: 'both' } };
  const judged = await analytics.call('POST', '/v1/projects/shop/alert-preview', { body: anomaly });
  expect(Object(judged.body).points.at(-1)).toMatchObject({ value: 10, expected: 0 });
});

it.each([
  ['another kind of query', { query: { kind: 'lifecycle', range: { last: 1, unit: 'day' } } }, 'query.kind'],
  ['a breakdown', { query: { ...DROP.query, breakdown: { property: 'plan' } } }, 'query.breakdown'],
  ['a series that the query does not have', { series: 1 }, 'series'],
  ['two limits', { rule: { kind: 'threshold', above: 2, below: 1 } }, 'rule'],
  ['a recovery beyond the limit', { rule: { kind: 'threshold', above: 2, recoverAt: 3 } }, 'rule.recoverAt'],
])('rejects an alert with %s, and names the field', async (_, change, field) => {
  const answer = Object(await manage('PUT', '/bad', { ...DROP, ...change }, 400));
  expect(answer.error.message).toContain(field);
});

it('keeps the alerts of projects apart, and rejects the 51st of one', async () => {
  await manage('PUT', '/own', DROP, 200, 'blog');
  const own = await analytics.call('GET', '/v1/projects/blog/alerts', { sub: 'ada' });
  expect(own).toMatchObject({ status: 200, body: { alerts: [{ id: 'own' }] } });
  expect(await analytics.call('GET', '/v1/projects/blog/alerts', { sub: 'outsider' })).toMatchObject({
    status: 403,
  });
  expect(await manage('GET', '/own', undefined, 404)).toMatchObject({
    error: { message: 'Alert not found.' },
  });
  await analytics.directory.putProject({ id: 'full', members: ['ada'] });
  await eventually(() => manage('PUT', '/one', DROP, 200, 'full'));
  await database.sql`insert into alerts (project_id, id, definition, enabled, next_at, created_at, updated_at)
    select 'full', 'a' || n, ${JSON.stringify(DROP)}::json, false, now(), now(), now() from generate_series(1, 49) as n`;
  expect(await manage('PUT', '/two', DROP, 409, 'full')).toMatchObject({
    error: { message: 'The project already has 50 alerts; delete one of them first.' },
  });
  await manage('PUT', '/one', { ...DROP, name: 'Changed' }, 200, 'full');
  const erasure = createErasure(database.drizzle, undefined);
  await erasure.eraseProject?.('full', new AbortController().signal);
  expect(await manage('GET', '', undefined, 200, 'full')).toEqual({ alerts: [] });
  expect(await manage('GET', '', undefined, 200, 'blog')).toMatchObject({ alerts: [{ id: 'own' }] });
});
