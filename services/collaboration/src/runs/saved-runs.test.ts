import { REPORT_RUNS_TOPIC, reportRunRecord } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { call, dayAhead, useCollaboration } from '../testing/harness.ts';
import { createRuns } from './runs.ts';
import { createRunsStore } from './store.ts';

const harness = await useCollaboration();
let token: string;
let addresses = 0;
beforeAll(async () => {
  const spec = { name: REPORT_RUNS_TOPIC, partitions: 1, replication: 1, cleanup: 'delete' } as const;
  await harness.log.createTopics([spec]);
  const expiresOn = dayAhead(5);
  const path = '/v1/projects/shop/reports/signups/public-link';
  token = (await harness.as('ada').call('PUT', path, { expiresOn })).body.token;
  await save({ kind: 'lifecycle', range: { last: 7, unit: 'day' } });
});

const save = (query: Record<string, unknown> | null) =>
  harness.directory.put('report', { projectId: 'shop', id: 'signups', name: 'Weekly sign-ups', query });
const publish = (...values: (object | string)[]) =>
  harness.log.publish(
    REPORT_RUNS_TOPIC,
    values.map((value) => ({
      partition: 0,
      key: 'shop/signups',
      value: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
      headers: {},
    })),
  );
const shared = async () => {
  const address = `10.8.0.${++addresses}`;
  const path = `/v1/shared-reports/${token}`;
  return (await call(harness.url, 'GET', path, undefined, { 'x-forwarded-for': address })).body.report;
};
const state = async (sub = 'ada', project = 'shop') => {
  const path = `/management/v1/projects/${project}/reports/signups/runs/last`;
  return harness.as(sub).call('GET', path);
};
const at = (minute: number) => `2026-03-01T12:${String(minute).padStart(2, '0')}:00.000Z`;
const id = (minute: number) => `00000000-0000-4000-8000-0000000000${String(minute).padStart(2, '0')}`;
const run = (minute: number, more: object = { report: { minute } }) => ({
  projectId: 'shop',
  reportId: 'signups',
  runId: id(minute),
  ranAt: at(minute),
  asOf: at(minute),
  ...more,
});

describe('a run of a saved report', () => {
  it('shows a run of a saved report on its link, without its cohort', async () => {
    await publish(run(10, { report: { minute: 10, cohort: 'secret', deep: { cohortId: 'secret' } } }));
    await eventually(async () => expect(await shared()).toEqual({ minute: 10, deep: {} }));
    expect((await state()).body).toEqual({ ranAt: at(10), failure: null });
    const path = '/v1/projects/shop/reports/signups/public-link';
    expect((await harness.as('ada').call('GET', path)).body.ranAt).toBe(at(10));
  });

  it('takes in a run once, also when it is published again', async () => {
    await publish(run(12), run(12, { report: { minute: 'again' } }));
    await publish(run(12, { error: { code: 'X', message: 'x' } }));
    await eventually(async () => expect((await state()).body.failure?.code).toBe('X'));
    expect(await shared()).toEqual({ minute: 12 });
  });

  it('replaces the previous run, also when a clock that was set back gave the new one an earlier time', async () => {
    await publish(run(40), run(13, { error: { code: 'BACK', message: 'x' } }));
    await eventually(async () => expect((await state()).body.failure?.code).toBe('BACK'));
    await publish(run(13));
    await eventually(async () => expect((await state()).body).toEqual({ ranAt: at(13), failure: null }));
    expect(await shared()).toEqual({ minute: 13 });
  });

  it('does not replace a later run in the log when an earlier one is read again', async () => {
    const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
    onTestFinished(() => database.close());
    const runs = createRuns({
      store: createRunsStore(database.drizzle),
      directory: { report: async () => undefined },
      clock: harness.clock,
    });
    const offset = 1_000n;
    await runs.accept(reportRunRecord.parse(run(14)), offset);
    await runs.accept(
      reportRunRecord.parse(run(16, { error: { code: 'LATER', message: 'x' } })),
      offset + 2n,
    );
    await runs.accept(reportRunRecord.parse(run(15)), offset + 1n);
    await runs.accept(reportRunRecord.parse(run(14)), offset);
    await runs.accept(reportRunRecord.parse(run(14, { error: { code: 'OLD', message: 'x' } })), offset);
    expect((await state()).body).toMatchObject({ ranAt: at(15), failure: { code: 'LATER' } });
    expect(await shared()).toEqual({ minute: 15 });
    // The topic was recreated.
    await runs.accept(reportRunRecord.parse(run(17)), 0n);
    expect((await state()).body).toEqual({ ranAt: at(17), failure: null });
  });

  it('keeps the last run when one fails, and shows the reason to members and not to the public', async () => {
    const error = { code: 'INVALID_QUERY', message: 'range: too many events' };
    await publish(run(21, { error }));
    await eventually(async () =>
      expect((await state()).body.failure).toEqual({ ...error, failedAt: at(21) }),
    );
    expect((await state()).body.ranAt).toBe(at(17));
    const page = await call(harness.url, 'GET', `/shared/${token}`, undefined, {
      'x-forwarded-for': '10.8.1.1',
    });
    expect([page.status, page.body.includes('too many')]).toEqual([200, false]);
    expect((await state('eve')).status).toBe(403);
    await publish(run(22));
    await eventually(async () => expect((await state()).body).toEqual({ ranAt: at(22), failure: null }));
  });

  it('clears the failure of a report without a query', async () => {
    await publish(run(23, { error: { code: 'OLD', message: 'old' } }));
    await eventually(async () => expect((await state()).body.failure?.failedAt).toBe(at(23)));
    await save(null);
    await eventually(async () => expect((await state()).body).toEqual({ ranAt: at(22), failure: null }));
  });

  it('continues with other runs after one that cannot be read', async () => {
    await publish('{', run(23, { runId: 'x' }), run(23, { error: { code: 'X', message: 'a\0b' } }), run(24));
    await eventually(async () => expect(await shared()).toEqual({ minute: 24 }));
  });
});
