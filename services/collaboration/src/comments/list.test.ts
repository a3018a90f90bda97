import { type Database, openDatabase } from '@switchboard/database';
import { testMember } from '@switchboard/directory/testing';
import { call, eventually, testDatabase } from '@switchboard/testkit';
import { drizzle } from 'drizzle-orm/postgres-js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collaborationMigrations } from '../schema/migrations.ts';
import { member } from '../testing/directory.ts';
import { type Harness, startHarness } from '../testing/harness.ts';
import { nodesOf, type Plan } from '../testing/plan.ts';
import { createListThreads, type ListThreads } from './list.ts';
import { presentThread } from './present.ts';
import { createCommentsStore } from './store.ts';

it('reads 500 threads of 20 comments in two queries for their versions and two for their contents, through indexes only', async () => {
  const { url, drop } = await testDatabase({ migrations: [collaborationMigrations] });
  const database = openDatabase({ url, applicationName: 'test', statementTimeoutMs: 60_000 });
  // Ten reports of that size, with reactions on every second comment.
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
  const threads = await store.listThreads('shop', 'r3', 500);
  expect(threads).toHaveLength(500);
  const starts = threads.map(({ thread }) => thread.createdAt.getTime());
  expect(starts).toEqual([...starts].sort((a, b) => a - b));
  const contents = await store.readContents(threads.map(({ thread }) => thread.id));
  const rows = threads.map(({ thread }) => contents.get(thread.id));
  expect(rows.map((row) => row?.version)).toEqual(threads.map(({ version }) => version));
  const positions = Array.from({ length: 20 }, (_, index) => index + 1);
  for (const row of rows) {
    expect(row?.comments.map(({ position }) => position)).toEqual(positions);
    const reactions = row?.reactions.get(2)?.map(({ emoji, subs }) => [emoji, ...subs.toSorted()]);
    expect(reactions).toEqual([['👍', 'ada', 'grace']]);
    expect(row?.reactions.has(3)).toBe(false);
  }
  expect(queries).toHaveLength(4);
  const pages = [await store.listThreads('shop', 'r3', 300)];
  pages.push(await store.listThreads('shop', 'r3', 300, pages[0]?.at(-1)?.thread));
  expect(pages.map(({ length }) => length)).toEqual([300, 200]);
  expect(pages.flat()).toEqual(threads);
  for (const { query, params } of queries) {
    const nodes = nodesOf(await planOf(database, query, params));
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    const removed = nodes.reduce((sum, node) => sum + (node['Rows Removed by Filter'] ?? 0), 0);
    expect(removed).toBe(0);
  }
  await database.close();
  await drop();
});

async function piecesOf(list: ReturnType<ListThreads>) {
  const pieces: Uint8Array[] = [];
  for await (const piece of list) pieces.push(piece);
  return pieces;
}

const HEART = { emoji: '❤️' as const, subs: ['ada', 'é', 'grace'] };
const THUMB = { emoji: '👍' as const, subs: ['é'] };

it('writes a list as its threads are presented, however they are divided into pages', async () => {
  const at = new Date('2026-03-01T09:30:00.000Z');
  const times = ['2026-03-01 09:30:00+00', '2026-03-01 09:30:00.5+00', '2026-03-01 10:30:00.25+01'];
  const bodies = ['words "canChange":false', 'ж👍\u2028"\\', null];
  const rows = Array.from({ length: 7 }, (_, thread) => ({
    thread: {
      ...{ id: `thr_${thread}`, projectId: 'shop', reportId: 'r', createdBySub: 'ada', createdAt: at },
      ...{ anchor: thread === 0 ? null : '{"bucket":"é"}', resolvedAt: null, resolvedBySub: null },
    },
    comments: Array.from({ length: 150 }, (_, index) => ({
      ...{ id: `cmt_${thread}_${index}`, position: index + 1 },
      ...{ body: bodies[index % 3] ?? null, mentions: index % 4 === 0 ? null : ['é'] },
      ...{ authorSub: index % 2 === 0 ? 'ada' : 'é' },
      ...{ createdAt: times[index % 3] ?? '', editedAt: index === 0 ? null : (times[0] ?? '') },
    })),
    // The third comment is deleted.
    reactions: new Map([1, 2, 3].map((position) => [position, position === 1 ? [HEART, THUMB] : [HEART]])),
  }));
  const directory = { members: async () => [testMember('acme', 'ada', { name: 'Ada ♥' })] };
  const callerOf = (sub: string) => ({
    project: { id: 'shop', companyId: 'acme', region: 'eu' },
    person: { sub, permissions: [] },
  });
  const listOf = (threads: typeof rows) => {
    const contents = new Map(threads.map((row) => [row.thread.id, { ...row, version: '1' }]));
    const store = {
      listThreads: async () => threads.map(({ thread }) => ({ thread, version: '1' })),
      readContents: async () => contents,
    };
    const list = createListThreads({ store, directory });
    return async (sub: string) =>
      JSON.parse(Buffer.concat(await piecesOf(list(callerOf(sub), 'r'))).toString());
  };
  const list = listOf(rows);
  for (const sub of ['nobody', 'é', 'ada']) {
    expect((await list(sub)).threads).toEqual(
      await Promise.all(rows.map((row) => presentThread(directory, callerOf(sub), row))),
    );
  }
  const written = await list('ada');
  expect(written.threads[0].comments[0]).toMatchObject({
    ...{ authorName: 'Ada ♥', createdAt: '2026-03-01T09:30:00.000Z', editedAt: null, canChange: true },
    reactions: [
      { emoji: '👍', count: 1, reactedByMe: false },
      { emoji: '❤️', count: 3, reactedByMe: true },
    ],
  });
  expect(written.threads[0].comments[2].reactions).toEqual([]);
  expect(written.threads[0].comments[1].createdAt).toBe('2026-03-01T09:30:00.500Z');
  expect(await listOf([])('ada')).toEqual({ threads: [] });
});

describe('a list of 1,200 threads of 10 kB', () => {
  const createdAt = new Date('2026-03-01T09:30:00.000Z');
  const threads = Array.from({ length: 1_200 }, (_, index) => ({
    ...{ id: `thr_${index}`, projectId: 'shop', reportId: 'r', createdBySub: 'ada', createdAt },
    ...{ anchor: null, resolvedAt: null, resolvedBySub: null },
  }));
  const body = 'x'.repeat(10_000);
  const first = { ...{ position: 1, id: 'cmt', body, mentions: null }, authorSub: 'ada', editedAt: null };
  const content = { version: '1', comments: [{ ...first, createdAt: '2026-03-01 09:30:00+00' }] };
  const caller = {
    project: { id: 'shop', companyId: 'acme', region: 'eu' },
    person: { sub: 'ada', permissions: [] },
  };

  /** `asked` collects the number of threads of each query. */
  const listing = (asked: number[] = []) =>
    createListThreads({
      directory: { members: async () => [] },
      store: {
        async listThreads(_project, _report, limit, after) {
          asked.push(limit);
          const from = threads.findIndex(({ id }) => id === after?.id) + 1;
          return threads.slice(from, from + limit).map((thread) => ({ thread, version: '1' }));
        },
        async readContents(ids) {
          asked.push(ids.length);
          return new Map(ids.map((id) => [id, { ...content, reactions: new Map() }]));
        },
      },
    });

  it('holds only a part of a list in memory, however many threads there are', async () => {
    const asked: number[] = [];
    const pieces = await piecesOf(listing(asked)(caller, 'r'));
    expect(Math.max(...asked)).toBe(500);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(5_000_000);
    const listed = JSON.parse(Buffer.concat(pieces).toString()).threads;
    expect(listed.map(({ id }: { id: string }) => id)).toEqual(threads.map(({ id }) => id));
    expect(listed.at(-1).comments).toMatchObject([{ body, canChange: true }]);
  });

  it('lets other requests run while a list is assembled from memory', async () => {
    const asked: number[] = [];
    const list = listing(asked);
    await piecesOf(list(caller, 'r'));
    asked.length = 0;
    let turns = 0;
    let next = setImmediate(function count() {
      turns++;
      next = setImmediate(count);
    });
    await piecesOf(list(caller, 'r'));
    clearImmediate(next);
    expect(asked).toEqual([500, 500, 500]);
    expect(turns).toBeGreaterThan(50);
  });
});

describe('a cached list', () => {
  const path = '/v1/projects/shop/reports/signups/comment-threads';
  let harness: Harness;
  let elsewhere: string;
  beforeAll(async () => {
    harness = await startHarness();
    elsewhere = (await harness.another()).url;
  });
  afterAll(() => harness.stop());

  const list = async (sub: string) => (await harness.as(sub).call('GET', path)).body.threads;
  /** Makes a change on the other instance. */
  async function change(sub: string, method: string, below: string, body?: unknown) {
    const token = await harness.token({ sub });
    const answer = await call(method, `${elsewhere}/v1/projects/shop${below}`, { token, body });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  }

  it('includes every change that another instance made since, as each person sees it', async () => {
    const first = await change('ada', 'POST', '/reports/signups/comment-threads', { body: 'What happened?' });
    const other = await change('ada', 'POST', '/reports/signups/comment-threads', { body: 'Something else' });
    const comment = `/comments/${first.comments[0].id}`;
    const resolution = `/comment-threads/${first.id}/resolution`;
    const changes: [sub: string, method: string, below: string, body?: unknown][] = [
      ['grace', 'POST', `/comment-threads/${first.id}/comments`, { body: 'We shipped.', mentions: ['alan'] }],
      ['ada', 'PATCH', comment, { body: 'What happened here?' }],
      ['ada', 'PUT', `${comment}/reactions/👍`],
      ['grace', 'PUT', `${comment}/reactions/👍`],
      ['ada', 'DELETE', `${comment}/reactions/👍`],
      ['ada', 'PUT', `${comment}/reactions/👍`],
      ['grace', 'DELETE', `${comment}/reactions/👍`],
      ['grace', 'PUT', resolution],
      ['grace', 'DELETE', resolution],
      ['ada', 'DELETE', comment],
    ];
    const untouched = { ada: (await list('ada')).at(-1), grace: (await list('grace')).at(-1) };
    expect(untouched.ada.id).toBe(other.id);
    for (const [sub, method, below, body] of changes) {
      const answered = await change(sub, method, below, body);
      const another = sub === 'ada' ? 'grace' : 'ada';
      expect(await list(sub)).toEqual([answered, untouched[sub === 'ada' ? 'ada' : 'grace']]);
      // Another person sees the same thread, with their own rights and reactions.
      const [seen] = await list(another);
      expect(seen.comments.map(neutral)).toEqual(answered.comments.map(neutral));
      expect(seen.comments.map(({ canChange }: { canChange: boolean }) => canChange)).toEqual(
        seen.comments.map((one: SeenComment) => !one.deleted && one.authorSub === another),
      );
    }
  });

  it('sends a list in pieces without loss', async () => {
    const { databaseUrl: url } = harness;
    const database = openDatabase({ url, applicationName: 'test', statementTimeoutMs: 60_000 });
    await database.sql.unsafe(`
      insert into threads (id, project_id, report_id, created_by_sub, created_at)
        select 'thr_' || i, 'shop', 'revenue', 'ada', timestamptz '2026-03-01Z' + (i || ' seconds')::interval
        from generate_series(1, 600) i;
      insert into comments (id, thread_id, position, body, mentions, author_sub, created_at)
        select id || '_1', id, 1, repeat('x', 9000), '{}', 'ada', created_at
        from threads where report_id = 'revenue'`);
    await database.close();
    const { status, body } = await harness.as('ada').call('GET', path.replace('signups', 'revenue'));
    expect(status).toBe(200);
    const ids = body.threads.map(({ id }: { id: string }) => id);
    expect(ids).toEqual(Array.from({ length: 600 }, (_, index) => `thr_${index + 1}`));
    for (const { comments } of body.threads) expect(comments).toMatchObject([{ canChange: true }]);
  });

  it('shows the current names of authors, and none of those who left', async () => {
    await change('alan', 'POST', '/reports/signups/comment-threads', { body: 'By Alan' });
    const nameOfAlan = async () => (await list('ada')).at(-1).comments[0].authorName;
    expect(await nameOfAlan()).toBe('Alan Turing');
    await harness.directory.put('member', member('alan', 'Alan M. Turing'));
    await eventually(async () => expect(await nameOfAlan()).toBe('Alan M. Turing'));
    await harness.directory.remove('member', 'acme', 'alan');
    await eventually(async () => expect(await nameOfAlan()).toBeNull());
  });
});

interface SeenComment {
  authorSub: string;
  deleted: boolean;
  reactions: { emoji: string; count: number }[];
}

/** The fields that are the same for every reader. */
const neutral = ({ reactions, ...comment }: SeenComment) => ({
  ...comment,
  canChange: undefined,
  reactions: reactions.map(({ emoji, count }) => ({ emoji, count })),
});

/**
 * Returns the plan without sequential scans. At this size a scan may be as cheap, but larger reports need the
 * indexes.
 */
async function planOf(database: Database, query: string, params: unknown[]): Promise<Plan> {
  const inlined = params.reduceRight<string>(
    (text, value, index) =>
      text.replaceAll(
        new RegExp(`\\$${index + 1}\\b`, 'g'),
        `'${Array.isArray(value) ? `{${value.join()}}` : value}'`,
      ),
    query,
  );
  const [answer] = await database.sql.begin(async (sql) => {
    await sql.unsafe('set local enable_seqscan = off');
    return sql.unsafe(`explain (analyze, buffers, format json) ${inlined}`);
  });
  return answer?.['QUERY PLAN'][0].Plan;
}
