import { setTimeout } from 'node:timers/promises';
import { insightQuery, type ReportRunRecord } from '@switchboard/contracts';
import type { EventLog, OutgoingRecord } from '@switchboard/event-log';
import { Unavailable } from '@switchboard/http';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useDatabase } from '../testing/database.ts';
import type { ReportRunner } from './run.ts';
import { createSavedReports, type SavedReports } from './saved-reports.ts';
import { createSavedReportsStore } from './store.ts';

const { database } = await useDatabase();

const START = Date.parse('2026-03-01T12:00:00Z');
const query = insightQuery.parse({ kind: 'lifecycle', range: { last: 1, unit: 'day' } });
let now = START;
/** How far the system clock was set forward or back. */
let shiftMs = 0;
let runs: ReportRunRecord[] = [];
let instances: SavedReports[] = [];
/** The reports by id, with their refresh. */
let reports = new Map<string, string | null>();
let run: (id: string) => Promise<void> = async () => undefined;
let attempts = 0;

const recordOf = (reportId: string) => ({
  projectId: 'shop',
  reportId,
  runId: crypto.randomUUID(),
  ranAt: new Date(now + shiftMs).toISOString(),
});
const runner: ReportRunner = {
  async find({ reportId }) {
    const refresh = reports.get(reportId);
    return refresh === undefined ? undefined : { refresh, query };
  },
  async run({ reportId }) {
    attempts++;
    await run(reportId);
    return { ...recordOf(reportId), asOf: new Date(now + shiftMs).toISOString(), report: {} };
  },
  failed: ({ reportId }, _, error) => ({ ...recordOf(reportId), error }),
};

function startInstance() {
  const log: Pick<EventLog, 'createTopics' | 'publish'> = {
    createTopics: async () => undefined,
    async publish(_topic: string, records: OutgoingRecord[]) {
      for (const { value } of records) runs.push(JSON.parse(String(value)));
      return { offsetOf: () => 0n };
    },
  };
  const instance = createSavedReports({
    store: createSavedReportsStore(database.drizzle),
    runner,
    scheduled: async (after) =>
      after === undefined
        ? ([...reports].flatMap(([id, refresh]) =>
            refresh === null ? [] : [{ projectId: 'shop', id, refresh }],
          ) as never)
        : [],
    log: log as EventLog,
    replication: 1,
    clock: { now: () => new Date(now + shiftMs) },
    elapsed: () => now,
    logger: createLogger({ service: 'test', level: 'silent' } as never),
  });
  instance.start();
  instances.push(instance);
  return instance;
}

beforeEach(async () => {
  await database.sql`truncate saved_reports`;
  now = START;
  shiftMs = 0;
  runs = [];
  reports = new Map();
  run = async () => undefined;
  attempts = 0;
});
afterEach(async () => {
  await Promise.all(instances.map((instance) => instance.stop()));
  instances = [];
});

const rows = () => database.sql<{ report_id: string; next_run_at: unknown; attempts: number }[]>`
  select report_id, next_run_at, attempts from saved_reports order by 1`;
const minutes = (count: number) => count * 60_000;

it('runs a report with a refresh from the directory once each interval', async () => {
  reports.set('often', '15m').set('by hand', null);
  startInstance();
  await eventually(async () => expect((await rows()).map((row) => row.report_id)).toEqual(['often']));
  now += minutes(1);
  await eventually(async () => expect(runs).toMatchObject([{ reportId: 'often' }]));
  await eventually(async () => {
    const [next] = await rows();
    const dueAt = Date.parse(String(next?.next_run_at));
    expect(dueAt).toBeGreaterThan(now);
    expect(dueAt).toBeLessThanOrEqual(now + minutes(15));
  });
  now += minutes(15);
  await eventually(async () => expect(runs).toHaveLength(2));
});

it('retries later while the engine is busy, and publishes the last failure', async () => {
  reports.set('asked', null);
  run = async () => Promise.reject(new Unavailable('Too many queries.'));
  await startInstance().request(database.drizzle, { projectId: 'shop', reportId: 'asked' });
  for (let attempt = 1; attempt < 5; attempt++) {
    await eventually(async () => expect(await rows()).toMatchObject([{ attempts: attempt }]));
    expect(runs).toEqual([]);
    now += minutes(2);
  }
  await eventually(async () => expect(runs).toMatchObject([{ error: { code: 'UNAVAILABLE' } }]));
  expect(attempts).toBe(5);
  await eventually(async () => expect(await rows()).toEqual([]));
});

it('publishes a failure that retries cannot fix in neutral words, and keeps the schedule of the report', async () => {
  reports.set('broken', '15m');
  await database.sql`insert into saved_reports (project_id, report_id, next_run_at, attempts)
    values ('shop', 'broken', ${new Date(START).toISOString()}, 4)`;
  run = async () => Promise.reject(new Error('column "secret" does not exist'));
  startInstance();
  await eventually(async () => expect(runs).toMatchObject([{ error: { code: 'INTERNAL' } }]));
  expect(JSON.stringify(runs)).toContain('The report could not be computed.');
  expect(JSON.stringify(runs)).not.toContain('secret');
  await eventually(async () => {
    const [next] = await rows();
    expect(next).toMatchObject({ attempts: 0 });
    expect(Date.parse(String(next?.next_run_at))).toBeLessThanOrEqual(now + minutes(15));
  });
  now += minutes(15);
  run = async () => undefined;
  await eventually(async () => expect(runs).toMatchObject([{ error: {} }, { report: {} }]));
});

it('runs a report at once when its interval becomes shorter, and keeps the times of others', async () => {
  reports.set('changed', 'daily').set('kept', 'daily');
  const due = new Date(START + minutes(120)).toISOString();
  await database.sql`insert into saved_reports (project_id, report_id, refresh, next_run_at)
    values ('shop', 'changed', 'daily', ${due}), ('shop', 'kept', 'daily', ${due})`;
  startInstance();
  const times = async () =>
    new Map((await rows()).map((row) => [row.report_id, Date.parse(String(row.next_run_at))]));
  await setTimeout(1_500);
  expect(new Set((await times()).values())).toEqual(new Set([Date.parse(due)]));
  reports.set('changed', '15m');
  now += minutes(1);
  await eventually(async () =>
    expect((await times()).get('changed')).toBeLessThanOrEqual(START + minutes(16)),
  );
  expect((await times()).get('kept')).toBe(Date.parse(due));
  now += minutes(15);
  await eventually(async () => expect(runs.map(({ reportId }) => reportId)).toEqual(['changed']));
  now += minutes(1);
  await setTimeout(1_500);
  expect(runs).toHaveLength(1);
});

it('keeps the attempts and times of a report that changes between retries', async () => {
  reports.set('busy', '15m');
  const due = new Date(START + minutes(1)).toISOString();
  const until = new Date(START + minutes(3)).toISOString();
  await database.sql`insert into saved_reports
    (project_id, report_id, refresh, next_run_at, attempts, claimed_until)
    values ('shop', 'busy', 'daily', ${due}, 2, null), ('shop', 'running', 'daily', ${until}, 0, ${until})`;
  reports.set('running', '15m').set('new', '15m');
  const before = await rows();
  startInstance();
  await eventually(async () => expect(await rows()).toHaveLength(3));
  await setTimeout(500);
  expect((await rows()).filter((row) => row.report_id !== 'new')).toEqual(before);
});

it('runs the reports of other projects while one project has many due', async () => {
  await database.sql`insert into saved_reports (project_id, report_id, next_run_at)
    select 'many', 'm' || n, ${new Date(START - minutes(60)).toISOString()}::timestamptz from generate_series(1, 1000) as n`;
  await database.sql`insert into saved_reports (project_id, report_id, next_run_at)
    values ('few', 'f', ${new Date(START).toISOString()}), ('one', 'o', ${new Date(START).toISOString()})`;
  for (let n = 1; n <= 1000; n++) reports.set(`m${n}`, null);
  reports.set('f', null).set('o', null);
  startInstance();
  await eventually(async () => expect(runs.length).toBeGreaterThanOrEqual(3));
  expect(runs.slice(0, 3).map(({ reportId }) => reportId.replace(/\d+/, ''))).toEqual(['f', 'm', 'o']);
});

it('runs reports that are due at once one after another without a pause', async () => {
  for (let n = 1; n <= 50; n++) reports.set(`m${n}`, null);
  await database.sql`insert into saved_reports (project_id, report_id, next_run_at)
    select 'shop', 'm' || n, ${new Date(START).toISOString()}::timestamptz from generate_series(1, 50) as n`;
  let running = 0;
  run = async () => {
    expect(++running).toBe(1);
    await setTimeout(1);
    running--;
  };
  startInstance();
  // One report per poll, once a second, would take 50 seconds.
  await eventually(async () => expect(runs).toHaveLength(50));
  await eventually(async () => expect(await rows()).toEqual([]));
});

it('leaves a report that another instance runs to it until its claim ends', async () => {
  reports.set('claimed', '15m');
  const until = new Date(START + minutes(3)).toISOString();
  await database.sql`insert into saved_reports (project_id, report_id, next_run_at, claimed_until)
    values ('shop', 'claimed', ${until}, ${until})`;
  startInstance();
  startInstance();
  reports.set('sign', '15m');
  await database.sql`insert into saved_reports (project_id, report_id, next_run_at)
    values ('shop', 'sign', ${new Date(START).toISOString()})
    on conflict (project_id, report_id) do update set next_run_at = excluded.next_run_at`;
  await eventually(async () => expect(runs.map(({ reportId }) => reportId)).toEqual(['sign']));
  reports.delete('sign');
  now += minutes(3);
  await eventually(async () => expect(runs.map(({ reportId }) => reportId)).toEqual(['sign', 'claimed']));
});

it('runs a report again when it is requested while it runs', async () => {
  reports.set('asked', null);
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  run = async () => {
    begun.resolve();
    await held.promise;
  };
  const instance = startInstance();
  await instance.request(database.drizzle, { projectId: 'shop', reportId: 'asked' });
  await begun.promise;
  await instance.request(database.drizzle, { projectId: 'shop', reportId: 'asked' });
  held.resolve();
  await eventually(async () => expect(runs).toHaveLength(2));
  await eventually(async () => expect(await rows()).toEqual([]));
});

it('delays no report by more than its interval when a clock is set back, and finds new ones', async () => {
  reports.set('often', '15m');
  startInstance();
  await eventually(async () => expect(await rows()).toHaveLength(1));
  now += minutes(1);
  await eventually(async () => expect(runs).toHaveLength(1));
  shiftMs = -minutes(60);
  reports.set('new', '15m');
  now += minutes(1);
  await eventually(async () => expect(await rows()).toHaveLength(2));
  now += minutes(15);
  await eventually(async () =>
    expect(runs.map(({ reportId }) => reportId).sort()).toEqual(['new', 'often', 'often']),
  );
});

it('makes a run that was claimed, failed or requested before a clock was set back due again', async () => {
  const at = (ahead: number) => new Date(START + ahead).toISOString();
  await database.sql`insert into saved_reports
    (project_id, report_id, refresh, next_run_at, attempts, claimed_until) values
    ('shop', 'claimed', '15m', ${at(minutes(3))}, 0, ${at(minutes(3))}),
    ('shop', 'failed', '15m', ${at(minutes(1))}, 2, null),
    ('shop', 'asked', null, ${at(0)}, 0, null)`;
  reports.set('claimed', '15m').set('failed', '15m').set('asked', null);
  shiftMs = -minutes(60);
  startInstance();
  await eventually(async () =>
    expect(runs.map(({ reportId }) => reportId).sort()).toEqual(['asked', 'claimed', 'failed']),
  );
});

it('runs a report without a refresh only when it is requested', async () => {
  reports.set('cleared', null);
  await database.sql`insert into saved_reports (project_id, report_id, refresh, next_run_at)
    values ('shop', 'cleared', '15m', ${new Date(START).toISOString()})`;
  const instance = startInstance();
  await eventually(async () => expect(await rows()).toEqual([]));
  expect([runs, attempts]).toEqual([[], 0]);
  const later = new Date(START + minutes(600)).toISOString();
  await database.sql`insert into saved_reports (project_id, report_id, refresh, next_run_at)
    values ('shop', 'cleared', '15m', ${later})`;
  await instance.request(database.drizzle, { projectId: 'shop', reportId: 'cleared' });
  await eventually(async () => expect(runs).toHaveLength(1));
});

it('does not run a deleted report', async () => {
  await database.sql`insert into saved_reports (project_id, report_id, next_run_at)
    values ('shop', 'deleted', ${new Date(START).toISOString()})`;
  startInstance();
  await eventually(async () => expect(await rows()).toEqual([]));
  expect([runs, attempts]).toEqual([[], 0]);
});
