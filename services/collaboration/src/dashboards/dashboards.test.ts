import { beforeAll, describe, expect, it } from 'vitest';
import { useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();
const LIST = '/management/v1/projects/shop/dashboards';
const path = (id: string) => `${LIST}/${id}`;
const operator = () => harness.as('ops', ['service.manage']);
const tile = { x: 0, y: 0, w: 6, h: 4 };
const put = (id: string, body: object, headers?: Record<string, string>) =>
  operator().call('PUT', path(id), body, headers);
const reports = (id: string, sub = 'ada') =>
  harness.as(sub).call('GET', `/v1/projects/shop/dashboards/${id}/reports`);
const record = (reportId: string, report: unknown) =>
  operator().call('POST', `/management/v1/projects/shop/reports/${reportId}/runs`, { report });

beforeAll(async () => {
  for (const id of ['one', 'two', 'never'])
    await harness.directory.put('report', { projectId: 'shop', id, name: `Report ${id}` });
});

describe('dashboards', () => {
  it('stores tiles, range and filters, and counts versions', async () => {
    const body = {
      name: 'Product',
      tiles: [
        { ...tile, reportId: 'one' },
        { ...tile, x: 6, text: 'What we sell' },
      ],
      range: { last: 30, unit: 'day' },
      where: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
    };
    const stored = await put('product', body);
    expect(stored.status, JSON.stringify(stored.body)).toBe(200);
    expect(stored.body).toMatchObject({ ...body, description: null, ownerSub: 'ops', version: 1 });
    expect((await put('product', { name: 'Renamed' })).body).toMatchObject({
      name: 'Renamed',
      tiles: [],
      range: null,
      where: [],
      version: 2,
    });
  });

  it('refuses a change of a version that someone else has replaced', async () => {
    const [first, second] = [await put('versions', { name: 'One' }), await put('versions', { name: 'Two' })];
    expect([first.headers.get('etag'), second.headers.get('etag')]).toEqual(['"1"', '"2"']);
    const refused = await put('versions', { name: 'Three' }, { 'If-Match': '"1"' });
    expect([refused.status, refused.body.error.message]).toEqual([
      412,
      'If-Match: the dashboard is at version 2. Read it again and repeat your change.',
    ]);
    expect((await put('versions', { name: 'Three' }, { 'If-Match': '"2"' })).body.version).toBe(3);
    expect((await put('unknown', { name: 'New' }, { 'If-Match': '"1"' })).status).toBe(412);
  });

  it('refuses a tile beyond the last column, a 31st tile, and a tile with neither report nor text', async () => {
    const wide = await put('bad', { name: 'Bad', tiles: [{ ...tile, x: 7, text: 'x' }] });
    expect([wide.status, wide.body.error.message]).toEqual([
      400,
      'tiles[0].w: ends beyond column 12; use a smaller w or x',
    ]);
    const many = Array.from({ length: 31 }, () => ({ ...tile, text: 'x' }));
    expect((await put('bad', { name: 'Bad', tiles: many })).status).toBe(400);
    expect((await put('bad', { name: 'Bad', tiles: [tile] })).status).toBe(400);
  });

  it('lists the dashboards of a project page by page, and deletes them', async () => {
    for (const id of ['list-a', 'list-b']) await put(id, { name: id });
    const found: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = (await operator().call('GET', `${LIST}?limit=1${query}`)).body;
      found.push(...page.dashboards.map(({ id }: { id: string }) => id));
      cursor = page.nextCursor;
    }
    expect(found).toEqual([...found].sort());
    expect(found).toEqual(expect.arrayContaining(['list-a', 'list-b']));
    expect((await operator().call('DELETE', path('list-a'))).status).toBe(204);
    expect((await operator().call('GET', path('list-a'))).status).toBe(404);
  });

  it('lets viewers read and editors write, as with reports', async () => {
    await put('roles', { name: 'Roles' });
    const viewer = harness.as('vera');
    const own = '/v1/projects/shop/dashboards/roles';
    expect((await viewer.call('GET', own)).status).toBe(200);
    expect((await viewer.call('DELETE', own)).status).toBe(403);
    expect((await harness.as('eve').call('GET', own)).status).toBeGreaterThanOrEqual(403);
    expect((await reports('roles', 'eve')).status).toBeGreaterThanOrEqual(403);
  });
});

describe('the reports of a dashboard', () => {
  it('come with their last runs in one call, each once, without cohorts', async () => {
    await record('one', { kind: 'line', cohort: 'secret' });
    await record('two', { kind: 'bar' });
    const tiles = ['two', 'one', 'two', 'never', 'deleted'].map((reportId) => ({ ...tile, reportId }));
    await put('board', { name: 'Board', tiles: [...tiles, { ...tile, text: 'Hello' }] });
    const { body } = await reports('board');
    expect(body.reports).toEqual([
      {
        reportId: 'two',
        name: 'Report two',
        query: null,
        ranAt: expect.any(String),
        isTooLarge: false,
        report: { kind: 'bar' },
      },
      {
        reportId: 'one',
        name: 'Report one',
        query: null,
        ranAt: expect.any(String),
        isTooLarge: false,
        report: { kind: 'line' },
      },
      { reportId: 'never', name: 'Report never', query: null, ranAt: null, isTooLarge: false, report: null },
    ]);
  });

  it('leave out a run that exceeds the size of a response, and show smaller ones', async () => {
    const large = 'x'.repeat(3_500_000);
    for (const id of ['large-1', 'large-2', 'large-3', 'small']) {
      await harness.directory.put('report', { projectId: 'shop', id, name: id });
      const stored = await record(id, { text: id === 'small' ? 'x' : large });
      expect(stored.status, JSON.stringify(stored.body)).toBe(201);
    }
    const tiles = ['large-1', 'large-2', 'large-3', 'small'].map((reportId) => ({ ...tile, reportId }));
    await put('large', { name: 'Large', tiles });
    const { body } = await reports('large');
    expect(
      body.reports.map((one: { isTooLarge: boolean; report: unknown }) => [
        one.isTooLarge,
        one.report !== null,
      ]),
    ).toEqual([
      [false, true],
      [false, true],
      [true, false],
      [false, true],
    ]);
  });

  it('get 404 for a dashboard that does not exist', async () => {
    expect((await reports('no-such-dashboard')).status).toBe(404);
  });
});
