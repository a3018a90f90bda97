import { type Database, openDatabase } from '@switchboard/database';
import { testMember } from '@switchboard/directory/testing';
import { testDatabase } from '@switchboard/testkit';
import { drizzle } from 'drizzle-orm/postgres-js';
import { expect, it } from 'vitest';
import { collaborationMigrations } from '../schema/migrations.ts';
import { nodesOf, type Plan } from '../testing/plan.ts';
import { presentThread, writeThreads } from './present.ts';
import { createCommentsStore } from './store.ts';

it('reads 500 threads of 20 comments in two queries, through indexes only', async () => {
  const { url, drop } = await testDatabase({ migrations: [collaborationMigrations] });
  const database = openDatabase({ url, applicationName: 'test', statementTimeoutMs: 60_000 });
  // Ten reports of that size; reactions on every second comment.
  await database.sql.unsafe(`
    insert into threads (id, project_id, report_id, created_by_sub, created_at)
      select 'thr_' || i, 'shop', 'r' || i % 10, 'ada', timestamptz '2026-03-01Z' + (i || ' seconds')::interval
      from generate_series(1, 5000) i;
    insert into comments (id, thread_id, position, body, mentions, author_sub, created_at)
      select t.id || '_' || p, t.id, p, repeat('words ', 20), '{}', 'ada', t.created_at
      from threads t, generate_series(1, 20) p;
    insert into reactions (comment_id, emoji, sub)
      select id, '👍', sub from comments, unnest(array['ada', 'grace']) sub where position % 2 = 0;
    analyze`);
  const queries: { query: string; params: unknown[] }[] = [];
  const logQuery = (query: string, params: unknown[]) => void queries.push({ query, params });
  const store = createCommentsStore(drizzle(database.sql, { logger: { logQuery } }));
  const rows = await store.listThreads('shop', 'r3', 'ada');
  expect(rows).toHaveLength(500);
  expect(rows.every(({ comments }) => comments.length === 20)).toBe(true);
  expect(rows[0]?.reactions.get(2)).toEqual([{ emoji: '👍', count: 2, mine: true }]);
  expect(rows[0]?.reactions.has(3)).toBe(false);
  expect(
    rows.every(({ comments }) => comments.every((comment, index) => comment.position === index + 1)),
  ).toBe(true);
  const starts = rows.map(({ thread }) => thread.createdAt.getTime());
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
  expect(queries).toHaveLength(2);
  for (const { query, params } of queries) {
    const nodes = nodesOf(await planOf(database, query, params));
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    const removed = nodes.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0);
    expect(removed).toBe(0);
  }
  await database.close();
  await drop();
}, 120_000);

const HEART = { emoji: '❤️', count: 3, mine: true } as const;
const THUMB = { emoji: '👍', count: 1, mine: false } as const;

it('is written as its threads are presented, however it falls into pages', async () => {
  const at = new Date('2026-03-01T09:30:00.000Z');
  const times = ['2026-03-01 09:30:00+00', '2026-03-01 09:30:00.5+00', '2026-03-01 10:30:00.25+01'];
  const bodies = ['words', 'ж👍\u2028"\\', null];
  const rows = Array.from({ length: 7 }, (_, thread) => ({
    thread: {
      ...{ id: `thr_${thread}`, projectId: 'shop', reportId: 'r', createdBySub: 'ada', createdAt: at },
      ...{ anchor: thread === 0 ? null : '{"bucket":"é"}', resolvedAt: null, resolvedBySub: null },
    },
    comments: Array.from({ length: 150 }, (_, index) => ({
      ...{ threadId: `thr_${thread}`, id: `cmt_${thread}_${index}`, position: index + 1 },
      ...{ body: bodies[index % 3] ?? null, mentions: index % 4 === 0 ? null : ['é'] },
      ...{ authorSub: index % 2 === 0 ? 'ada' : 'é', isDeleted: index % 3 === 2 },
      ...{ createdAt: times[index % 3] ?? '', editedAt: index === 0 ? null : (times[0] ?? '') },
    })),
    // The third comment is deleted.
    reactions: new Map([1, 2, 3].map((position) => [position, position === 1 ? [HEART, THUMB] : [HEART]])),
  }));
  const directory = { members: async () => [testMember('acme', 'ada', { name: 'Ada ♥' })] };
  const caller = {
    project: { id: 'shop', companyId: 'acme', region: 'eu' },
    person: { sub: 'ada', permissions: [] },
  };
  const written = JSON.parse(Buffer.from(await writeThreads(directory, caller, rows)).toString());
  expect(written.threads).toEqual(
    await Promise.all(rows.map((row) => presentThread(directory, caller, row))),
  );
  expect(written.threads[0].comments[0]).toMatchObject({
    ...{ authorName: 'Ada ♥', createdAt: '2026-03-01T09:30:00.000Z', editedAt: null, canChange: true },
    reactions: [
      { emoji: '👍', count: 1, reactedByMe: false },
      { emoji: '❤️', count: 3, reactedByMe: true },
    ],
  });
  expect(written.threads[0].comments[2].reactions).toEqual([]);
  expect(written.threads[0].comments[1].createdAt).toBe('2026-03-01T09:30:00.500Z');
  expect(JSON.parse(Buffer.from(await writeThreads(directory, caller, [])).toString())).toEqual({
    threads: [],
  });
});

/** At this size scanning may be as cheap; what matters for a larger one is that the indexes can carry it. */
async function planOf(database: Database, query: string, params: unknown[]): Promise<Plan> {
  const inlined = params.reduceRight<string>(
    (text, value, index) => text.replaceAll(new RegExp(`\\$${index + 1}\\b`, 'g'), `'${value}'`),
    query,
  );
  const [answer] = await database.sql.begin(async (sql) => {
    await sql.unsafe('set local enable_seqscan = off');
    return sql.unsafe(`explain (analyze, buffers, format json) ${inlined}`);
  });
  return answer?.['QUERY PLAN'][0].Plan;
}
