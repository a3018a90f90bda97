import { REPORT_RUNS_KEPT, REPORT_RUNS_TOPIC } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();
const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
afterAll(() => database.close());

const operator = () => harness.as('ops', ['service.manage']);
const path = (reportId: string) => `/management/v1/projects/shop/reports/${reportId}`;
const record = (reportId: string, report: unknown, ranAt?: string) =>
  operator().call('POST', `${path(reportId)}/runs`, { report, ranAt });
const list = async (reportId: string) =>
  (await harness.as('vera').call('GET', `/v1/projects/shop/reports/${reportId}/run-history`)).body.runs;

beforeAll(async () => {
  for (const id of ['kept', 'many', 'large', 'failing'])
    await harness.directory.put('report', { projectId: 'shop', id, name: id });
});

describe('the history of runs', () => {
  it('lists runs, newest first, and shows each without its cohort', async () => {
    await record('kept', { total: 1, cohort: 'secret' }, '2026-03-01T00:00:00.000Z');
    await record('kept', { total: 2 }, '2026-03-02T00:00:00.000Z');
    const runs = await list('kept');
    expect(runs).toMatchObject([
      { ranAt: '2026-03-02T00:00:00.000Z', failure: null, hasReport: true },
      { ranAt: '2026-03-01T00:00:00.000Z', failure: null, hasReport: true },
    ]);
    const one = (runId: string) => operator().call('GET', `${path('kept')}/run-history/${runId}`);
    expect((await one(runs[1].runId)).body).toEqual({ ...runs[1], report: { total: 1 } });
    expect((await one('run_unknown')).status).toBe(404);
    expect((await operator().call('GET', `${path('unknown')}/run-history`)).status).toBe(404);
  });

  it('keeps the last 50 runs of a report', async () => {
    for (let second = 0; second <= REPORT_RUNS_KEPT; second++) {
      await record('many', { second }, new Date(Date.UTC(2026, 2, 1, 0, 0, second)).toISOString());
    }
    const runs = await list('many');
    expect(runs).toHaveLength(REPORT_RUNS_KEPT);
    expect(runs.at(-1).ranAt).toBe('2026-03-01T00:00:01.000Z');
  });

  it('lists a run of more than 100 kB without its report', async () => {
    await record('large', { text: 'x'.repeat(100_001) });
    expect(await list('large')).toMatchObject([{ hasReport: false, failure: null }]);
  });

  it('lists a failure from the log once, with its reason', async () => {
    const run = {
      projectId: 'shop',
      reportId: 'failing',
      runId: crypto.randomUUID(),
      ranAt: '2026-03-01T12:00:00.000Z',
      error: { code: 'TOO_MUCH', message: 'The query reads too much.' },
    };
    const value = Buffer.from(JSON.stringify(run));
    const sent = { partition: 0, key: 'shop/failing', value, headers: {} };
    await harness.log.createTopics([
      { name: REPORT_RUNS_TOPIC, partitions: 1, replication: 1, cleanup: 'delete' },
    ]);
    await harness.log.publish(REPORT_RUNS_TOPIC, [sent, sent]);
    await eventually(async () =>
      expect(await list('failing')).toEqual([
        {
          runId: run.runId,
          ranAt: run.ranAt,
          failure: { code: 'TOO_MUCH', message: 'The query reads too much.' },
          hasReport: false,
        },
      ]),
    );
  });

  it('removes the history with its report', async () => {
    await harness.directory.remove('report', 'shop', 'kept');
    await eventually(async () =>
      expect(await database.sql`select from report_run_history where report_id = 'kept'`).toHaveLength(0),
    );
  });
});
