import { createHmac } from 'node:crypto';
import { testMember } from '@switchboard/directory/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { png } from '../testing/files.ts';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type Visitor, visitorOf } from '../testing/visitor.ts';
import { createListStore } from './list/store.ts';

let messenger: TestMessenger;
let project: TestProject;
let visitor: Visitor;

beforeAll(async () => {
  messenger = await startMessenger({
    env: { RATE_LIMITS_MULTIPLIER: '1000' },
  });
  project = await messenger.createProject();
  visitor = visitorOf(messenger, project);
});
afterAll(() => messenger.stop());

const at = (of: TestProject, path = '') => `/projects/${of.id}/conversations${path}`;

describe('a teammate', () => {
  test('leaves no audit entry for a reply to an unknown conversation', async () => {
    const before = await messenger.auditEntries();
    const turns = at(project, '/cnv_unknown/turns');
    const sent = await messenger.manage('POST', turns, { authorId: 'ada', body: 'Hello' });
    expect(sent.status).toBe(404);
    expect(await messenger.auditEntries()).toBe(before);
  });

  test('shows a teammate with their current name and avatar', async () => {
    const conversation = await visitor.open();
    const unknown = await messenger.manage('POST', at(project, `/${conversation.id}/turns`), {
      authorId: 'grace/1',
      body: 'Hello',
    });
    expect(unknown.status).toBe(201);
    expect(unknown.body.turn).toMatchObject({
      authorKind: 'teammate',
      authorId: 'grace/1',
      authorName: null,
      authorAvatarUrl: null,
    });
    await messenger.manage('PUT', `/projects/${project.id}/team/grace%2F1`, { name: 'Grace' });
    const picture = await messenger.manage('PUT', `/projects/${project.id}/team/grace%2F1/avatar`, png());
    const { body } = await visitor.read(conversation);
    expect(body.turns[0]).toMatchObject({ authorName: 'Grace', authorAvatarUrl: picture.body.url });
    expect((await visitor.to('GET', body.turns[0].authorAvatarUrl)).bytes.equals(png())).toBe(true);
    const etag = (await visitor.read(conversation)).headers.get('etag');
    await messenger.manage('PUT', `/projects/${project.id}/team/grace%2F1`, { name: 'Grace Hopper' });
    expect((await visitor.read(conversation)).headers.get('etag')).not.toBe(etag);
    await messenger.manage('PUT', at(project, `/${conversation.id}/status`), { status: 'resolved' });
    const resolved = await visitor.read(conversation, { 'If-None-Match': etag ?? '' });
    expect([resolved.status, resolved.body.status]).toEqual([200, 'resolved']);
  });

  test('shows a teammate without an entry in the team with their name in the directory', async () => {
    const { companyId } = project;
    await messenger.directory.put(
      'member',
      testMember(companyId, 'ada-1', { name: 'Ada Lovelace', role: 'support' }),
      testMember('company-of-others', 'bob-1', { name: 'Bob' }),
    );
    const conversation = await visitor.open();
    const path = `/v1${at(project, `/${conversation.id}/turns`)}`;
    const token = await messenger.mint({ sub: 'ada-1' });
    const answered = await messenger.call('POST', path, { token, body: { body: 'Hello' } });
    expect(answered.body.turn).toMatchObject({ authorId: 'ada-1', authorName: 'Ada Lovelace' });
    await messenger.manage('POST', at(project, `/${conversation.id}/turns`), {
      authorId: 'bob-1',
      body: 'Hi',
    });
    const names = async () =>
      (await visitor.read(conversation)).body.turns.map(
        ({ authorName }: { authorName: string | null }) => authorName,
      );
    expect(await names()).toEqual(['Ada Lovelace', null]);
    const read = await messenger.manage('GET', at(project, `/${conversation.id}`));
    expect(read.body.turns[0]).toMatchObject({ authorName: 'Ada Lovelace', authorAvatarUrl: null });
    await messenger.manage('PUT', `/projects/${project.id}/team/ada-1`, { name: 'Ada from support' });
    expect(await names()).toEqual(['Ada from support', null]);
  });

  test('names no teammate after one of another project, and no visitor after a teammate', async () => {
    const other = await messenger.createProject();
    await messenger.manage('PUT', `/projects/${other.id}/team/linus`, { name: 'Linus' });
    const conversation = await visitor.open({ userId: 'linus' });
    await messenger.manage('POST', at(project, `/${conversation.id}/turns`), {
      authorId: 'linus',
      body: 'Hi',
    });
    await messenger.manage('PUT', `/projects/${project.id}/team/visitor`, { name: 'Not me' });
    await visitor.send(conversation, 'Hi');
    const { turns } = (await visitor.read(conversation)).body;
    expect(turns.map(({ authorName }: { authorName: string | null }) => authorName)).toEqual([null, null]);
  });

  test("names the teammate as the author of their turn whatever their id, even 'verified user'", async () => {
    const own = await messenger.createProject();
    const { secret } = (await messenger.manage('POST', `/projects/${own.id}/identity-secrets`)).body;
    const there = visitorOf(messenger, own);
    const userHash = createHmac('sha256', secret).update('ada').digest('hex');
    const conversation = await there.open({ userId: 'ada', userHash });
    await there.send(conversation, 'Hello');
    const answered = await messenger.manage('POST', at(own, `/${conversation.id}/turns`), {
      authorId: 'verified user',
      body: 'Hi',
    });
    expect(answered.body.turn).toMatchObject({ authorKind: 'teammate', authorId: 'verified user' });
    const { turns } = (await there.read(conversation)).body;
    expect(turns.map(({ authorId }: { authorId: string | null }) => authorId)).toEqual([
      'ada',
      'verified user',
    ]);
  });

  test.each([
    [{ authorId: 'a' }],
    [{ authorId: 'a', body: ' ' }],
    [{ authorId: '', body: 'x' }],
    [{ authorId: ' ', body: 'x' }],
  ])("rejects a teammate's turn %j", async (turn) => {
    const { id } = await visitor.open();
    expect((await messenger.manage('POST', at(project, `/${id}/turns`), turn)).status).toBe(400);
  });
});

describe('the author of a turn', () => {
  const turn = async (id: string, body: object, token: string) =>
    messenger.call('POST', `/management/v1${at(project, `/${id}/turns`)}`, { token, body });

  test('makes the caller the author, and requires a permission for any other name', async () => {
    const { id } = await visitor.open();
    const token = await messenger.mint({ sub: 'grace', permissions: [] });
    await messenger.directory.put('member', testMember(project.companyId, 'grace', { role: 'support' }));
    const own = await eventually(async () => {
      const answer = await turn(id, { body: 'Hello' }, token);
      expect(answer.status).toBe(201);
      return answer;
    });
    expect(own.body.turn).toMatchObject({ authorKind: 'teammate', authorId: 'grace' });
    const other = await turn(id, { authorId: 'linus', body: 'Hello' }, token);
    expect([other.status, other.body.error.message]).toEqual([
      403,
      'authorId: Requires conversations.reply-as: service.manage or service.support in the access token of a management call.',
    ]);
  });
});

describe('the management API of messenger', () => {
  test('requires service.manage for the management API', async () => {
    const { id } = await visitor.open();
    const calls: [string, string][] = [
      ['GET', at(project)],
      ['GET', at(project, `/${id}`)],
      ['POST', at(project, `/${id}/turns`)],
      ['PUT', at(project, `/${id}/status`)],
    ];
    const mortal = await messenger.mint({ sub: 'x', permissions: ['service.annotations.write'] });
    for (const [method, path] of calls) {
      const call = (token: string | null) =>
        messenger.call(method, `/management/v1${path}`, { token, raw: '{' });
      const statuses = [project.key, null, mortal].map((token) =>
        method === 'GET' ? messenger.call(method, `/management/v1${path}`, { token }) : call(token),
      );
      expect((await Promise.all(statuses)).map(({ status }) => status)).toEqual([401, 401, 403]);
    }
  });

  test('answers 404 for an unknown project or conversation, and 403 for a project of another region', async () => {
    const [other, abroad] = [
      await messenger.createProject(),
      await messenger.createProject({ region: 'us' }),
    ];
    const { id } = await visitor.open();
    const missing = { ...project, id: 'nowhere' };
    expect((await messenger.manage('GET', at(missing))).status).toBe(404);
    expect((await messenger.manage('GET', at(abroad))).status).toBe(403);
    for (const path of [at(other, `/${id}`), at(project, '/cnv_0'), at(missing, `/${id}`)]) {
      expect((await messenger.manage('GET', path)).status).toBe(404);
      const answer = await messenger.manage('POST', `${path}/turns`, { authorId: 'a', body: 'x' });
      expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
      expect((await messenger.manage('PUT', `${path}/status`, { status: 'open' })).status).toBe(404);
    }
    expect((await visitor.read({ ...(await visitor.open()), id })).status).toBe(401);
  });

  test("lists the project's conversations by status, latest turn first, 50 per page", async () => {
    const own = await messenger.createProject();
    const there = visitorOf(messenger, own);
    const opened: string[] = [];
    for (let count = 0; count < 120; count++) opened.push((await there.open({ distinctId: `d${count}` })).id);
    const resolved = opened.filter((_, index) => index % 2 === 0);
    for (const id of resolved)
      await messenger.manage('PUT', at(own, `/${id}/status`), { status: 'resolved' });

    async function pages(query: string) {
      const sizes: number[] = [];
      const found: { id: string; lastTurnAt: string; turns?: unknown }[] = [];
      for (let cursor = ''; ; ) {
        const { status, body } = await messenger.manage('GET', at(own, `?${query}${cursor}`));
        expect(status).toBe(200);
        sizes.push(body.conversations.length);
        found.push(...body.conversations);
        if (body.nextCursor === null) return { sizes, found };
        cursor = `&cursor=${body.nextCursor}`;
      }
    }
    const all = await pages('');
    expect(all.sizes).toEqual([50, 50, 20]);
    expect(new Set(all.found.map(({ id }) => id))).toEqual(new Set(opened));
    // Several conversations open within a millisecond. Their ids then decide the order.
    const latestFirst = all.found.toSorted(
      (a, b) => b.lastTurnAt.localeCompare(a.lastTurnAt) || b.id.localeCompare(a.id),
    );
    expect(all.found).toEqual(latestFirst);
    expect(all.found[0]).not.toHaveProperty('turns');
    const some = await pages('status=resolved');
    expect(some.sizes).toEqual([50, 10]);
    expect(some.found.map(({ id }) => id)).toEqual(
      latestFirst.map(({ id }) => id).filter((id) => resolved.includes(id)),
    );
    expect((await messenger.manage('GET', at(own, '?cursor=nonsense'))).status).toBe(400);
    expect((await messenger.manage('GET', at(own, '?status=closed'))).status).toBe(400);
  });

  test('reads only the rows of a page, whatever the number of conversations', async () => {
    const { sql } = messenger.database;
    await sql`
      insert into conversations (id, project_id, distinct_id, status, user_verified, token_hash,
        token_expires_at, created_at, last_turn_at)
      select 'cnv_many' || n, 'many', 'd', case when n % 100 = 0 then 'resolved' else 'open' end, false, 'h',
        now(), now(), now() - n * interval '1 minute'
      from generate_series(1, 20000) n`;
    await sql`
      insert into turns (conversation_id, position, id, author_kind, body, created_at)
      select 'cnv_many' || n, 1, 'trn_many' || n, 'visitor', 'Hello', now() from generate_series(1, 20000) n`;
    await sql`
      insert into conversation_reads (conversation_id, sub, position)
      select 'cnv_many' || n, 'ada', 1 from generate_series(1, 20000) n`;
    await sql`analyze conversations, turns, conversation_reads`;
    const store = createListStore(messenger.database.drizzle);
    for (const status of [undefined, 'resolved'] as const) {
      const after = { at: new Date(Date.now() - 5000 * 60_000), id: 'cnv_z' };
      const { sql: text, params } = store
        .pageQuery({ projectId: 'many', sub: 'ada', status, after, size: 51 })
        .toSQL();
      const plan = await sql.unsafe(`explain (analyze, format json) ${text}`, params as never[]);
      const scans = JSON.stringify(plan[0]);
      expect(scans).not.toContain('Seq Scan');
      expect(scans).not.toMatch(/"Rows Removed by Filter": ?([1-9]\d{2,})/);
    }
  });
});
