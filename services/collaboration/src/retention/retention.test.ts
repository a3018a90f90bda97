import { type Database, openDatabase } from '@switchboard/database';
import { directoryMigrations, directoryRecord } from '@switchboard/directory';
import { createLogger, createMetrics, createRetention } from '@switchboard/runtime';
import { testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCommentsStore } from '../comments/store.ts';
import { collaborationMigrations } from '../schema/migrations.ts';
import { expiringData } from './retention.ts';
import { createRetentionStore } from './store.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const test = await testDatabase({ migrations: [directoryMigrations, collaborationMigrations] });
  drop = test.drop;
  database = openDatabase({ url: test.url, applicationName: 'test' });
  const { key, value } = directoryRecord('report', { projectId: 'shop', id: 'weekly', name: 'Weekly' });
  const [kind = '', id = ''] = key.split(/:(.*)/s);
  await database.sql`insert into directory.entries ${database.sql({ kind, id, value, revision: '1' })}`;
});
beforeEach(async () => {
  await database.sql`truncate threads, comments, reactions, shares, deliveries, dropped_endpoints, report_runs,
    report_run_cohorts, report_run_failures`;
});
afterAll(async () => {
  await database.close();
  await drop();
});

const DAY = 86_400_000;
const now = Date.parse('2026-03-10T12:00:00Z');
const daysAgo = (days: number) => new Date(now - days * DAY);

function run() {
  const data = expiringData({
    store: createRetentionStore(database.drizzle),
    commentDays: 30,
    shareDays: 30,
    runDays: 30,
  });
  const clock = { now: () => new Date(now) };
  const logger = createLogger({ service: 'test', level: 'silent' });
  return createRetention({ database, data, clock, logger, metrics: createMetrics('test') }).run();
}
const ids = async (table: string, column = 'id') =>
  (await database.sql.unsafe(`select ${column} as id from ${table} order by 1`)).map(({ id }) => id);

describe('comment threads', () => {
  const comments = () => createCommentsStore(database.drizzle);
  /** Sends no messages about mentions. */
  const nobody = async () => undefined;
  const person = { createdBySub: 'ada', projectId: 'shop', reportId: 'weekly' };
  const start = async (id: string, createdAt: Date) =>
    comments().start(
      { id, ...person, createdAt },
      { id: `${id} first`, threadId: id, body: 'x', mentions: [], authorSub: 'ada', createdAt },
      nobody,
      database.drizzle,
    );
  const reply = (threadId: string, createdAt: Date) =>
    comments().reply(
      { id: `${threadId} reply`, threadId, body: 'x', mentions: [], authorSub: 'ada', createdAt },
      nobody,
      database.drizzle,
    );

  test('removes threads without activity with their comments and reactions, and keeps those with any', async () => {
    for (const id of ['edited', 'old', 'removed', 'replied', 'resolved']) await start(id, daysAgo(50));
    await start('new', daysAgo(29));
    await comments().react('old first', '👍', 'grace', database.drizzle);
    await reply('replied', daysAgo(5));
    await comments().change(
      { id: 'edited first', threadId: 'edited' },
      { body: 'y', mentions: [], editedAt: daysAgo(5) },
      nobody,
      database.drizzle,
    );
    await comments().remove('removed first', daysAgo(5), database.drizzle);
    await comments().resolve('resolved', 'ada', daysAgo(5), database.drizzle);
    await run();
    expect(await ids('threads')).toEqual(['edited', 'new', 'removed', 'replied', 'resolved']);
    expect(await ids('comments')).not.toContain('old first');
    expect(await ids('reactions', 'emoji')).toEqual([]);
  });

  test('keeps a thread with a reply in progress, and removes any number of others', async () => {
    await start('busy', daysAgo(50));
    for (let i = 0; i < 150; i++) await start(`quiet ${i}`, daysAgo(40));
    await database.sql.begin(async (tx) => {
      await tx`select 1 from threads where id = 'busy' for no key update`;
      await run();
    });
    expect(await ids('threads')).toEqual(['busy']);
    await run();
    expect(await ids('comments')).toEqual([]);
  });
});

test('removes shares with their deliveries, and dropped endpoints', async () => {
  for (const [id, days] of [
    ['new', 29],
    ['old', 31],
  ] as const) {
    await database.sql`
      insert into shares (id, project_id, company_id, report_id, report_name, sender_sub, sender_name, link, language,
        created_at)
      values (${id}, 'shop', 'acme', 'weekly', 'Weekly', 'ada', 'Ada', 'https://x.test', 'en', ${daysAgo(days).toISOString()})`;
    await database.sql`
      insert into deliveries (id, share_id, recipient_sub, channel) values (${`to ${id}`}, ${id}, 'grace', 'email')`;
    await database.sql`insert into dropped_endpoints values (${id}, ${daysAgo(days).toISOString()})`;
  }
  await run();
  expect([await ids('shares'), await ids('deliveries'), await ids('dropped_endpoints', 'endpoint')]).toEqual([
    ['new'],
    ['to new'],
    ['new'],
  ]);
});

test('removes the last run of a report with its cohort and its failure', async () => {
  for (const [reportId, days] of [
    ['new', 29],
    ['old', 31],
  ] as const) {
    await database.sql`
      insert into report_runs (project_id, report_id, run_id, ran_at, report)
      values ('shop', ${reportId}, 'r', ${daysAgo(days).toISOString()}, '{}')`;
    await database.sql`insert into report_run_cohorts values ('shop', ${reportId}, 'r', '{}')`;
    await database.sql`
      insert into report_run_failures (project_id, report_id, run_id, failed_at, code, message)
      values ('shop', ${reportId}, 'f', ${daysAgo(days).toISOString()}, 'c', 'm')`;
  }
  await run();
  for (const table of ['report_runs', 'report_run_cohorts', 'report_run_failures'])
    expect(await ids(table, 'report_id'), table).toEqual(['new']);
});
