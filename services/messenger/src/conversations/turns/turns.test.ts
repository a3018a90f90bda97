import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { png } from '../../testing/files.ts';
import { startMessenger, type TestMessenger } from '../../testing/messenger.ts';
import type { TestProject } from '../../testing/projects.ts';
import { type Visitor, visitorOf } from '../../testing/visitor.ts';
import { createTurnsStore } from './store.ts';

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

describe("a visitor's turn", () => {
  test('returns a turn and adds it to the conversation, oldest first', async () => {
    const conversation = await visitor.open();
    const first = await visitor.send(conversation, ' I was charged twice. ');
    expect(first.status).toBe(201);
    expect(first.body).toEqual({
      turn: {
        id: expect.stringMatching(/^trn_[0-9a-f]{32}$/),
        authorKind: 'visitor',
        authorId: null,
        body: ' I was charged twice. ',
        createdAt: expect.stringMatching(/Z$/),
        authorName: null,
        authorAvatarUrl: null,
        attachments: [],
      },
    });
    const second = await visitor.send(conversation, '🎉'.repeat(10_000));
    const thread = await visitor.read(conversation);
    expect(thread.body.turns).toEqual([first.body.turn, second.body.turn]);
    expect(thread.body.lastTurnAt).toBe(second.body.turn.createdAt);
  });

  test('gives a turn no earlier time than the turns before it, also when the clock is set back', async () => {
    const conversation = await visitor.open();
    const first = await visitor.send(conversation, 'one');
    messenger.time.shift = -3_600_000;
    const second = await visitor.send(conversation, 'two');
    messenger.time.shift = 0;
    const { turns, lastTurnAt } = (await visitor.read(conversation)).body;
    expect(turns).toEqual([first.body.turn, second.body.turn]);
    expect(second.body.turn.createdAt).toBe(first.body.turn.createdAt);
    expect(lastTurnAt).toBe(second.body.turn.createdAt);
  });

  test.each([
    [{ body: '' }, 'body: empty without an attachment'],
    [{ body: ' \n' }, 'body: empty without an attachment'],
    [{ body: '', attachmentIds: [] }, 'body: empty without an attachment'],
    [{ body: 'x'.repeat(10_001) }, 'body: longer than 10000 characters'],
    [{ body: 'a\0b' }, 'body: contains a NUL character'],
    [{ body: 'x', attachmentIds: ['a', 'b', 'c', 'd'] }, 'attachmentIds'],
    [{ body: 'x', attachmentIds: [' '] }, 'attachmentIds[0]: only white space'],
    [{ body: 'x', pageContext: { host: 'h', path: '/' } }, 'pageContext.title: required'],
    [{ body: 'x', pageContext: { host: 'h'.repeat(256), path: '', title: '' } }, 'pageContext.host'],
    [{ body: 'x', pageContext: { host: '', path: 'p'.repeat(2049), title: '' } }, 'pageContext.path'],
    [{ body: 'x', pageContext: { host: '', path: '', title: 't'.repeat(501) } }, 'pageContext.title'],
    [{}, 'body: required'],
  ])('rejects the turn %j', async (turn, message) => {
    const conversation = await visitor.open();
    const answer = await visitor.send(conversation, turn);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain(message);
    expect((await visitor.read(conversation)).body.turns).toEqual([]);
  });

  test('shows the page context of a turn only to the operator', async () => {
    const conversation = await visitor.open();
    const pageContext = { host: 'h'.repeat(255), path: '/invoices?id=1', title: 'Invoices' };
    const sent = await visitor.send(conversation, { body: 'here', pageContext });
    expect(sent.bytes.toString()).not.toContain('/invoices');
    expect((await visitor.read(conversation)).bytes.toString()).not.toContain('/invoices');
    const seen = await messenger.manage('GET', `/projects/${project.id}/conversations/${conversation.id}`);
    expect(seen.body.turns[0].pageContext).toEqual(pageContext);
  });

  test('answers 304 to the ETag of a conversation until it changes', async () => {
    const conversation = await visitor.open();
    const etag = (await visitor.read(conversation)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    const unchanged = await visitor.read(conversation, { 'If-None-Match': etag });
    expect([unchanged.status, unchanged.bytes.length]).toEqual([304, 0]);
    await visitor.send(conversation, 'new');
    const changed = await visitor.read(conversation, { 'If-None-Match': etag });
    expect(changed.status).toBe(200);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  test('answers 304 for an unchanged conversation without reading its turns', async () => {
    const conversation = await visitor.open();
    await visitor.send(conversation, 'unchanged');
    const etag = (await visitor.read(conversation)).headers.get('etag') ?? '';
    // Any read of turns waits for this lock.
    const polled = await messenger.database.sql.begin(async (transaction) => {
      await transaction`lock table turns in access exclusive mode`;
      return visitor.read(conversation, { 'If-None-Match': etag });
    });
    expect(polled.status).toBe(304);
  });

  test('polls after a recent turn without reading the turns before it', async () => {
    const conversation = await visitor.open();
    const { sql } = messenger.database;
    await sql`
      insert into turns (conversation_id, position, id, author_kind, body, created_at)
      select ${conversation.id}, n, 'trn_of_many' || n, 'visitor', 'Hello', now() from generate_series(1, 2000) as n`;
    await sql`analyze turns`;
    const store = createTurnsStore(messenger.database.drizzle);
    const { sql: text, params } = store.positionQuery(conversation.id, 'trn_of_many1990').toSQL();
    const [plan] = await sql.unsafe(`explain (analyze, format json) ${text}`, params as never[]);
    expect(JSON.stringify(plan)).not.toMatch(/"(Rows Removed by Filter|Actual Rows)": ?\d{3,}/);
    const positions = [2000, 1990, 1, 2001].map((n) => store.positionOf(conversation.id, `trn_of_many${n}`));
    expect(await Promise.all(positions)).toEqual([2000, 1990, 1, undefined]);
  });

  test('opens its own conversation with each of many simultaneous tokens', async () => {
    const mine = await Promise.all(Array.from({ length: 12 }, () => visitor.open()));
    const statuses = await Promise.all(
      mine.flatMap((conversation, index) => {
        const other = mine[(index + 1) % mine.length] ?? conversation;
        const reads = [conversation, { ...conversation, token: other.token }, conversation];
        return reads.map(async (read) => {
          const { status, body } = await visitor.read(read);
          return status === 200 && body.id !== conversation.id ? 'another conversation' : status;
        });
      }),
    );
    expect(statuses).toEqual(mine.flatMap(() => [200, 401, 200]));
    const elsewhere = visitorOf(messenger, await messenger.createProject());
    const reads = await Promise.all(mine.map((conversation) => elsewhere.read(conversation)));
    expect(reads.map(({ status }) => status)).toEqual(mine.map(() => 401));
  });

  test('gives the turns after another a different ETag than the whole conversation', async () => {
    const conversation = await visitor.open();
    const { body } = await visitor.send(conversation, 'first');
    const etag = (await visitor.read(conversation)).headers.get('etag') ?? '';
    const newer = await visitor.to('GET', `/v1/conversations/${conversation.id}?after=${body.turn.id}`, {
      conversationToken: conversation.token,
      headers: { 'If-None-Match': etag },
    });
    expect([newer.status, newer.body.turns]).toEqual([200, []]);
  });
});

describe('Idempotency-Key', () => {
  test('returns the first turn with its attachments for the same key, and appends another turn for another key', async () => {
    const conversation = await visitor.open();
    const { body: file } = await visitor.upload(conversation, png(), 'a.png');
    const key = { 'Idempotency-Key': 'k'.repeat(200) };
    const first = await visitor.send(conversation, { body: 'once', attachmentIds: [file.id] }, key);
    expect(first.body.turn.attachments).toHaveLength(1);
    const again = await visitor.send(conversation, { body: 'once', attachmentIds: [file.id] }, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    const other = await visitor.send(conversation, 'twice', { 'Idempotency-Key': 'other' });
    expect(other.body.turn.id).not.toBe(first.body.turn.id);
    expect((await visitor.read(conversation)).body.turns).toHaveLength(2);
  });

  test('scopes an Idempotency-Key to its conversation', async () => {
    const [one, other] = [await visitor.open(), await visitor.open()];
    const key = { 'Idempotency-Key': 'same' };
    const first = await visitor.send(one, 'one', key);
    const second = await visitor.send(other, 'other', key);
    expect(second.body.turn.body).toBe('other');
    expect(second.body.turn.id).not.toBe(first.body.turn.id);
  });

  test('rejects an Idempotency-Key of more than 200 characters', async () => {
    const conversation = await visitor.open();
    const answer = await visitor.send(conversation, 'x', { 'Idempotency-Key': 'k'.repeat(201) });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('Idempotency-Key: longer than 200 characters');
  });

  test('stores ten concurrent turns with one key as one, and ten with their own keys as ten in one order', async () => {
    const conversation = await visitor.open();
    const same = await Promise.all(
      Array.from({ length: 10 }, () => visitor.send(conversation, 'same', { 'Idempotency-Key': 'same' })),
    );
    expect(new Set(same.map(({ status, body }) => `${status} ${body.turn.id}`)).size).toBe(1);
    await Promise.all(Array.from({ length: 10 }, (_, index) => visitor.send(conversation, `own ${index}`)));
    const { turns } = (await visitor.read(conversation)).body;
    expect(turns).toHaveLength(11);
    expect(new Set(turns.map(({ id }: { id: string }) => id)).size).toBe(11);
  });
});

describe('the status of a conversation', () => {
  test('opens a conversation, makes it pending after a teammate and open after the visitor, or takes the status of an operator', async () => {
    const conversation = await visitor.open();
    const path = `/projects/${project.id}/conversations/${conversation.id}`;
    const status = async () => (await visitor.read(conversation)).body.status;
    expect(await status()).toBe('open');
    await messenger.manage('POST', `${path}/turns`, { authorId: 'grace', body: 'Looking.' });
    expect(await status()).toBe('pending');
    await visitor.send(conversation, 'Thanks');
    expect(await status()).toBe('open');
    for (const wanted of ['resolved', 'pending', 'open', 'resolved']) {
      const answer = await messenger.manage('PUT', `${path}/status`, { status: wanted });
      expect([answer.status, answer.body]).toEqual([200, { status: wanted }]);
      expect(await status()).toBe(wanted);
    }
    await visitor.send(conversation, 'Not yet');
    expect(await status()).toBe('open');
    expect((await messenger.manage('PUT', `${path}/status`, { status: 'closed' })).status).toBe(400);
  });
});
