import { REPORT_RUNS_TOPIC } from '@switchboard/contracts';
import { type Database, openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { member } from '../testing/directory.ts';
import { call, dayAhead, type Harness, startHarness } from '../testing/harness.ts';

let harness: Harness;
let database: Database;
let generations = 0;
let addresses = 0;
beforeAll(async () => {
  // The SMTP server is unreachable, so deliveries wait.
  harness = await startHarness({ SMTP_URL: 'smtp://127.0.0.1:1' }, { deliveryRetrySeconds: 600 });
  await harness.log.createTopics([
    { name: REPORT_RUNS_TOPIC, partitions: 1, replication: 1, cleanup: 'delete' },
  ]);
  database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await harness.stop();
});

/** Publishes a report and waits until the service has it. */
async function save(generation: string, id = 'weekly'): Promise<void> {
  await harness.directory.put('report', { projectId: 'shop', id, name: 'Weekly', generation });
  await eventually(async () => {
    const [entry] = await database.sql`
      select value::json->>'generation' as generation from directory.entries
      where kind = 'report' and id = ${`shop/${id}`}`;
    expect(entry?.['generation']).toBe(generation);
  });
}
const next = () => `generation-${++generations}`;
const ask = (method: string, path: string, body?: unknown) =>
  harness.as('ada', ['service.manage']).call(method, `/v1/projects/shop${path}`, body);
const shared = (token: string) =>
  call(harness.url, 'GET', `/v1/shared-reports/${token}`, undefined, {
    'x-forwarded-for': `10.9.0.${++addresses}`,
  });

/** Adds a row for the report to every table. Returns the token of its link. */
async function fill(id: string): Promise<string> {
  const link = await ask('PUT', `/reports/${id}/public-link`, { expiresOn: dayAhead(5) });
  expect(link.status).toBe(200);
  const thread = await ask('POST', `/reports/${id}/comment-threads`, { body: 'Look' });
  expect(thread.status).toBe(201);
  await ask('GET', `/reports/${id}/comment-threads`);
  await ask('PUT', `/comments/${thread.body.comments[0].id}/reactions/${encodeURIComponent('👍')}`);
  await ask('POST', '/annotations', {
    startsOn: dayAhead(0),
    text: 'Launch',
    tags: ['launch'],
    reportId: id,
  });
  await ask('POST', `/reports/${id}/shares`, {
    recipients: ['grace'],
    link: `${harness.env['CONSOLE_URL']}/projects/shop/reports/${id}`,
    language: 'en',
  });
  await ask('PUT', `/subscriptions/${id}`, {
    target: { kind: 'report', id },
    schedule: { every: 'day', at: '08:30', timeZone: 'UTC' },
    recipients: ['ada', 'grace'],
  });
  const path = `/management/v1/projects/shop/reports/${id}/runs`;
  await harness
    .as('ada', ['service.manage'])
    .call('POST', path, { report: { of: id }, cohort: { id: 'beta' } });
  await database.sql`
    insert into report_run_failures (project_id, report_id, run_id, failed_at, code, message)
    values ('shop', ${id}, 'run', now(), 'X', 'x')`;
  return link.body.token;
}

/** Counts the rows of this report in each table that names reports. */
async function rowsOf(id: string): Promise<Record<string, number>> {
  const tables = await database.sql`
    select table_name as name from information_schema.columns
    where column_name = 'report_id' and table_schema = 'public' order by 1`;
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await database.sql`
      select count(*)::int as count from ${database.sql(name)} where project_id = 'shop' and report_id = ${id}`;
    rows[name] = row?.['count'];
  }
  return rows;
}
const each = (rows: Record<string, number>, count: number) =>
  Object.fromEntries(Object.keys(rows).map((table) => [table, count]));

beforeEach(() => save(next()));

it('removes every row that names a deleted report, and starts the next report of its id with none', async () => {
  await save('kept', 'kept');
  const [token, kept] = [await fill('weekly'), await fill('kept')];
  const before = await rowsOf('weekly');
  expect(before).toEqual(each(before, 1));
  expect((await shared(token)).body).toEqual({ report: { of: 'weekly' } });

  await harness.directory.remove('report', 'shop', 'weekly');
  await eventually(async () => expect(await rowsOf('weekly')).toEqual(each(before, 0)));
  for (const [table, count] of [
    ['subscriptions', 1],
    ['subscribers', 2],
  ] as const)
    expect(await database.sql`select from ${database.sql(table)}`, table).toHaveLength(count);
  for (const table of ['comments', 'reactions', 'deliveries'])
    expect(await database.sql`select from ${database.sql(table)}`, table).toHaveLength(1);
  expect(await database.sql`select from pgboss.job where data ? 'id'`).toHaveLength(1);

  await save(next());
  await eventually(async () =>
    expect((await ask('GET', '/reports/weekly/comment-threads')).body).toEqual({ threads: [] }),
  );
  const path = '/management/v1/projects/shop/reports/weekly/runs';
  await harness.as('ada', ['service.manage']).call('POST', path, { report: { private: true } });
  expect((await shared(token)).status).toBe(404);
  expect((await shared(kept)).body).toEqual({ report: { of: 'kept' } });
  expect(await rowsOf('kept')).toEqual(each(before, 1));
});

it('gives a report that replaces another at once nothing of the earlier one', async () => {
  const token = await fill('weekly');
  await save(next());
  expect((await shared(token)).status).toBe(404);
  const rows = await rowsOf('weekly');
  expect(rows).toEqual(each(rows, 0));
});

it('does not assign a run of a deleted report to the next report', async () => {
  const [old, current] = [next(), next()];
  await save(current, 'rerun');
  const run = (generation: string | undefined, minute: number, more: object) => ({
    projectId: 'shop',
    reportId: 'rerun',
    runId: crypto.randomUUID(),
    ranAt: `2026-03-01T12:0${minute}:00.000Z`,
    ...(generation === undefined ? {} : { generation }),
    ...more,
  });
  const report = { asOf: '2026-03-01T12:00:00.000Z', report: {} };
  const gone = { ...run(current, 5, report), reportId: 'never-there' };
  await harness.log.publish(
    REPORT_RUNS_TOPIC,
    [
      run(current, 1, report),
      run(old, 2, report),
      run(old, 3, { error: { code: 'X', message: 'x' } }),
      gone,
      run(undefined, 4, { error: { code: 'LAST', message: 'x' } }),
    ].map((value) => ({
      partition: 0,
      key: 'shop/rerun',
      value: Buffer.from(JSON.stringify(value)),
      headers: {},
    })),
  );
  await eventually(async () =>
    expect(await database.sql`select code from report_run_failures where report_id = 'rerun'`).toMatchObject([
      { code: 'LAST' },
    ]),
  );
  const [stored] =
    await database.sql`select ran_at::text as ran_at from report_runs where report_id = 'rerun'`;
  expect(stored?.['ran_at']).toBe('2026-03-01 12:01:00+00');
  expect(await database.sql`select from report_runs where report_id = 'never-there'`).toHaveLength(0);
});

it('drops the waiting deliveries of a removed member, also when they come back', async () => {
  await fill('weekly');
  const waiting = async () =>
    (await database.sql`select recipient_sub from deliveries where state = 'waiting' order by 1`).map(
      (row) => row['recipient_sub'],
    );
  expect(await waiting()).toContain('grace');
  await harness.directory.remove('member', 'acme', 'grace');
  await harness.directory.put('member', member('grace', 'Grace Hopper', { generation: 'again' }));
  await eventually(async () => expect(await waiting()).not.toContain('grace'));
  expect(await database.sql`select distinct sub from subscribers`).toMatchObject([{ sub: 'ada' }]);
});
