import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { call, useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();
let addresses = 0;

const operator = () => harness.as('ops', ['service.manage']);
const path = (id = 'board') => `/management/v1/projects/shop/dashboards/${id}`;
const put = (body: object, id?: string) => operator().call('PUT', path(id), { name: 'Growth', ...body });
const link = (method: string, body?: object, id = 'board', sub = 'grace') =>
  harness.as(sub).call(method, `/v1/projects/shop/dashboards/${id}/public-link`, body);
const turnOn = async (expiresOn = '2026-03-10', id?: string) => (await link('PUT', { expiresOn }, id)).body;
const open = (token: string, address = `10.2.${addresses++ >> 8}.${addresses & 255}`) =>
  call(harness.url, 'GET', `/shared/${token}`, undefined, { 'x-forwarded-for': address });
const record = (reportId: string, report: unknown, more: object = {}) =>
  operator().call('POST', `/management/v1/projects/shop/reports/${reportId}/runs`, { report, ...more });
const line = (title: string, value: number) => ({
  kind: 'line',
  title,
  buckets: ['2026-02-01', '2026-02-02'],
  series: [{ name: title, values: [1, value] }],
});
const half = { w: 6, h: 4 };

beforeAll(async () => {
  for (const id of ['one', 'two', 'never', 'gone'])
    await harness.directory.put('report', { projectId: 'shop', id, name: `Report ${id}` });
});
beforeEach(async () => {
  harness.clock.set('2026-03-01T12:00:00.000Z');
  await put({
    description: 'How we grow',
    tiles: [
      { ...half, x: 6, y: 0, reportId: 'two' },
      { ...half, x: 0, y: 0, reportId: 'one' },
      { x: 0, y: 4, w: 12, h: 2, text: 'Read <me>' },
      { ...half, x: 0, y: 6, reportId: 'never' },
      { ...half, x: 6, y: 6, reportId: 'unknown' },
    ],
  });
  await link('DELETE');
});

describe('the public link of a dashboard', () => {
  it('has the fields, stop day and token rules of the link of a report', async () => {
    expect((await link('GET')).status).toBe(404);
    const first = await turnOn();
    expect(first).toEqual({
      dashboardId: 'board',
      token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      url: `https://links.example/shared/${first.token}`,
      createdAt: '2026-03-01T12:00:00.000Z',
      expiresAt: '2026-03-10T00:00:00.000Z',
      expiresOn: '2026-03-10',
    });
    expect((await link('GET')).body).toEqual(first);
    expect((await turnOn('2026-04-01')).token).toBe(first.token);
    expect((await link('PUT', { expiresOn: '2026-05-31' })).status).toBe(400);
    expect((await link('PUT', { expiresOn: '2026-03-10' }, 'none')).status).toBe(404);
    expect((await link('PUT', { expiresOn: '2026-03-10' }, 'board', 'vera')).status).toBe(403);
    harness.clock.set('2026-04-01T00:00:00.000Z');
    expect([(await open(first.token)).status, (await link('GET')).status]).toEqual([404, 404]);
    expect((await turnOn('2026-04-02')).token).not.toBe(first.token);
  });

  it('opens a page of the texts and last runs in reading order, without cohorts and deleted reports', async () => {
    await record('one', { ...line('Sign-ups', 7), cohortId: 'secret-1' }, { cohort: 'secret-2' });
    await record('two', {
      kind: 'grid',
      title: 'Retention',
      periods: ['Day 0'],
      rows: [{ name: 'A', values: [5] }],
    });
    const { token } = await turnOn();
    const { status, body, headers } = await open(token);
    expect([status, headers.get('cache-control'), headers.get('x-robots-tag')]).toEqual([
      200,
      'no-store',
      'noindex',
    ]);
    const headings = [...body.matchAll(/<h[12]>([^<]*)<\/h[12]>/g)].map(([, text]) => text);
    expect(headings.filter((text) => text !== 'Values')).toEqual([
      'Growth',
      'Sign-ups',
      'Retention',
      'Report never',
    ]);
    expect(body).toContain('How we grow');
    expect(body).toContain('Read &lt;me&gt;');
    expect(body).toContain('This report has not run yet');
    expect(body).not.toContain('secret');
    expect(body).not.toMatch(/<script|<img|\sstyle=|\son\w+=|\ssrc=|url\(|@import/i);
    const ids = [...body.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows a new run and a changed dashboard at once', async () => {
    await record('one', line('Sign-ups', 7));
    const { token } = await turnOn();
    expect((await open(token)).body).toContain('Sign-ups');
    await record('one', line('Trials', 9));
    expect((await open(token)).body).toContain('Trials');
    await put({ tiles: [{ ...half, x: 0, y: 0, text: 'Only this' }] });
    const { body } = await open(token);
    expect(body).toContain('Only this');
    expect(body).not.toContain('Trials');
  });

  it('offers the values of each tile as CSV', async () => {
    await record('one', line('Sign-ups', 7));
    const { token } = await turnOn();
    expect((await open(token)).body).toContain('href="?format=csv&amp;tile=1"');
    const { body, status } = await open(`${token}?format=csv&tile=1`);
    expect([status, body]).toEqual([200, '"Day","Sign-ups"\r\n"2026-02-01",1\r\n"2026-02-02",7\r\n']);
    for (const tile of ['3', '4', '99', '-1', 'x', '']) {
      expect((await open(`${token}?format=csv&tile=${tile}`)).status, tile).toBe(404);
    }
  });

  it('answers the same 404 for deleted links, deleted dashboards and unknown tokens', async () => {
    const { token } = await turnOn();
    await link('DELETE');
    await put({}, 'short-lived');
    const other = await turnOn('2026-03-10', 'short-lived');
    await operator().call('DELETE', path('short-lived'));
    const answers = await Promise.all([token, other.token, 'A'.repeat(43), 'short'].map((one) => open(one)));
    for (const { status, body } of answers) expect([status, body]).toEqual([404, answers[0]?.body]);
    await put({}, 'short-lived');
    expect((await link('GET', undefined, 'short-lived')).status).toBe(404);
    const shared = await call(harness.url, 'GET', `/v1/shared-reports/${(await turnOn()).token}`);
    expect(shared.status).toBe(404);
  });

  it('counts reads per link and address together with those of reports', async () => {
    const { token } = await turnOn();
    const reads = await Promise.all(Array.from({ length: 65 }, () => open(token)));
    expect(reads.filter(({ status }) => status === 429)).toHaveLength(5);
    const report = await harness.as('grace').call('PUT', '/v1/projects/shop/reports/one/public-link', {
      expiresOn: '2026-03-10',
    });
    const own = await turnOn('2026-03-10', 'board');
    const mixed = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        open(at % 2 === 0 ? report.body.token : own.token, '203.0.113.9'),
      ),
    );
    expect(mixed.filter(({ body }) => body.includes('Too many visits')).length).toBeGreaterThanOrEqual(10);
  });

  it('refuses a link of a dashboard with a range or filters, and these while the link is on', async () => {
    const range = { last: 7, unit: 'day' };
    await put({ range }, 'narrow');
    const refused = await link('PUT', { expiresOn: '2026-03-10' }, 'narrow');
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      'A public link shows saved runs. Remove the range and the filters of the dashboard first.',
    ]);
    await put({}, 'narrow');
    await turnOn('2026-03-02', 'narrow');
    const where = [{ attribute: 'plan', op: 'eq', value: 'pro' }];
    const changed = await put({ where }, 'narrow');
    expect([changed.status, changed.body.error.message]).toEqual([
      409,
      'The public link shows no range and filters. Delete the link first.',
    ]);
    harness.clock.set('2026-03-02T00:00:00.000Z');
    expect((await put({ where }, 'narrow')).status).toBe(200);
  });
});
