import { REPORT_RUNS_TOPIC } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { useAnalytics } from '../testing/service.ts';
import { nextRun } from './schedule.ts';

const analytics = await useAnalytics();
const runs: Record<string, unknown>[] = [];
beforeAll(async () => {
  // The service creates the topic before any report runs.
  await eventually(() =>
    analytics.log.consume({
      group: 'test',
      topics: [REPORT_RUNS_TOPIC],
      handle: async ({ records }) => {
        for (const { value } of records) runs.push(JSON.parse(String(value)));
      },
    }),
  );
  await analytics.archive('shop', 'one', [
    {
      id: 'e1',
      name: 'order placed',
      person: 'ada',
      session: null,
      t: Date.now() - 1000,
      properties: null,
      context: null,
    },
  ]);
});

const query = { kind: 'trends', range: { last: 2, unit: 'day' }, series: [{ event: 'order placed' }] };
const save = (id: string, more: object) =>
  analytics.directory.put('report', { projectId: 'shop', id, name: id, ...more });
const request = (id: string, more: { sub?: string; permissions?: string[] } = {}) =>
  analytics.call('POST', `/management/v1/projects/shop/reports/${id}/run`, {
    permissions: ['service.manage'],
    ...more,
  });
const runsOf = (id: string) => runs.filter(({ reportId }) => reportId === id);

describe('a saved report', () => {
  it('runs a report on request', async () => {
    await save('asked', { query });
    await eventually(async () => expect((await request('asked')).status).toBe(202));
    await eventually(async () => expect(runsOf('asked')).toHaveLength(1));
    const [run] = runsOf('asked');
    expect(run).toMatchObject({ projectId: 'shop', report: { kind: 'line', series: [{ values: [0, 1] }] } });
    await request('asked');
    await eventually(async () => expect(runsOf('asked')).toHaveLength(2));
    expect(new Set(runsOf('asked').map(({ runId }) => runId)).size).toBe(2);
  });

  it('gives a report that counts people no total, since a person counts in every bucket', async () => {
    await save('people', { query: { ...query, series: [{ event: 'order placed', measure: 'people' }] } });
    await eventually(async () => expect((await request('people')).status).toBe(202));
    await eventually(async () => expect(runsOf('people')).toHaveLength(1));
    expect(runsOf('people')[0]).toMatchObject({
      report: { series: [{ values: [0, 1], total: null }] },
    });
  });

  it('publishes why a saved report cannot run', async () => {
    await save('wrong', { query: { ...query, cohort: 'nobody' } });
    await eventually(async () => expect((await request('wrong')).status).toBe(202));
    await eventually(async () => expect(runsOf('wrong')).toHaveLength(1));
    expect(runsOf('wrong')[0]).toMatchObject({ error: { code: 'INVALID_QUERY' } });
    expect(runsOf('wrong')[0]).not.toHaveProperty('report');
  });

  it('runs neither a deleted report nor, at its time, the next one of the same id', async () => {
    const database = openDatabase({ url: analytics.databaseUrl, applicationName: 'test' });
    onTestFinished(() => database.close());
    const rows = () => database.sql`select from saved_reports where report_id = 'refreshed'`;
    await save('refreshed', { query, refresh: 'daily', generation: 'one' });
    await eventually(async () => expect((await request('refreshed')).status).toBe(202));
    await eventually(async () => expect(runsOf('refreshed')).toMatchObject([{ generation: 'one' }]));
    expect(await rows()).toHaveLength(1);
    await analytics.directory.remove('report', 'shop', 'refreshed');
    await eventually(async () => expect(await rows()).toHaveLength(0));
    await save('refreshed', { query, generation: 'two' });
    await eventually(async () => expect((await request('refreshed')).status).toBe(202));
    await eventually(async () => expect(runsOf('refreshed').at(-1)).toMatchObject({ generation: 'two' }));
  });

  it('applies the bounds of a query to a saved report', async () => {
    const value = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [index, 0]));
    await save('large', { query: { ...query, where: [{ attribute: 'plan', op: 'eq', value }] } });
    await eventually(async () => expect((await request('large')).status).toBe(400));
    const refused = await request('large');
    expect(JSON.stringify(refused.body)).toContain(
      'where[0].value: objects and lists of more than 200 parts',
    );
  });

  it('refuses to run a report without a query, or for a person without the permission', async () => {
    await save('posted', {});
    expect((await request('posted')).status).toBe(404);
    expect((await request('asked', { sub: 'eve', permissions: [] })).status).toBe(403);
  });
});

describe('the time of the next run', () => {
  it('keeps the interval of one report, and spreads all reports over it', () => {
    const after = new Date('2026-03-01T12:00:00Z');
    const times = Array.from({ length: 1000 }, (_, index) =>
      nextRun('15m', { projectId: 'shop', reportId: `r${index}` }, after).getTime(),
    );
    expect(Math.min(...times)).toBeGreaterThan(after.getTime());
    expect(Math.max(...times)).toBeLessThanOrEqual(after.getTime() + 900_000);
    expect(new Set(times.map((time) => Math.floor(time / 60_000))).size).toBeGreaterThanOrEqual(15);
    const report = { projectId: 'shop', reportId: 'r1' };
    const first = nextRun('hourly', report, after);
    expect(nextRun('hourly', report, first).getTime() - first.getTime()).toBe(3_600_000);
  });
});
