import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type Visitor, visitorOf } from '../testing/visitor.ts';

const DAY = 86_400_000;

let messenger: TestMessenger;
let project: TestProject;
let visitor: Visitor;

beforeAll(async () => {
  messenger = await startMessenger({
    limits: { opensPerAddress: 100_000, opensPerProject: 100_000 },
  });
  project = await messenger.createProject();
  visitor = visitorOf(messenger, project);
});
afterAll(() => messenger.stop());

describe('opening a conversation', () => {
  test('returns an id, a token and its lifetime', async () => {
    const opened = await visitor.to('POST', '/v1/conversations', {
      body: { distinctId: 'ada', subject: 'Invoice' },
    });
    expect(opened.status).toBe(201);
    expect(opened.body).toEqual({
      conversationId: expect.stringMatching(/^cnv_[0-9a-f]{32}$/),
      token: expect.stringMatching(/^cvt_[A-Za-z0-9_-]{43}$/),
      expiresInSeconds: 30 * 86_400,
    });
    expect(opened.headers.get('cache-control')).toBe('no-store');
    const [row] = await messenger.database.sql`
      select row_to_json(c)::text as text from conversations c where id = ${opened.body.conversationId}`;
    expect(row?.['text']).not.toContain(opened.body.token.slice(4));
  });

  test('starts a conversation as open, without turns, with the given subject', async () => {
    const conversation = await visitor.open({ distinctId: 'ada', subject: ' Ünïcode 🎉 ' });
    const { status, body } = await visitor.read(conversation);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: conversation.id,
      distinctId: 'ada',
      subject: ' Ünïcode 🎉 ',
      status: 'open',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      lastTurnAt: body.createdAt,
      visitorReadAt: null,
      teammateReadAt: null,
      turns: [],
    });
    const bare = await visitor.read(await visitor.open({ subject: null, userId: null, userHash: null }));
    expect(bare.body.subject).toBeNull();
  });

  test.each([
    [{}, 'distinctId: required'],
    [{ distinctId: '' }, 'distinctId: empty'],
    [{ distinctId: ' \t' }, 'distinctId: only white space'],
    [{ distinctId: 'a', userId: ' ' }, 'userId: only white space'],
    [{ distinctId: 'x'.repeat(201) }, 'distinctId: longer than 200 characters'],
    [{ distinctId: 'a\0' }, 'distinctId: contains a NUL character'],
    [{ distinctId: 'a', subject: 'x'.repeat(201) }, 'subject: longer than 200 characters'],
    [{ distinctId: 'a', userHash: 'ab' }, 'userHash: needs userId'],
    [[], 'body'],
  ])('rejects the conversation %j', async (body, message) => {
    const answer = await visitor.to('POST', '/v1/conversations', { body });
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: expect.stringContaining(message),
    });
  });

  test('rejects a body that is not JSON', async () => {
    expect((await visitor.to('POST', '/v1/conversations', { raw: '{' })).status).toBe(400);
  });
});

describe('the project key', () => {
  const calls: [string, string][] = [
    ['POST', '/v1/conversations'],
    ['POST', '/v1/conversations/cnv_x/turns'],
    ['GET', '/v1/conversations/cnv_x'],
  ];

  test.each(calls)(
    'answers 401 to a missing or invalid key before any other check in %s %s',
    async (method, path) => {
      for (const token of [null, 'nonsense', `pk_eu_${'0'.repeat(32)}`]) {
        const answer = await messenger.call(method, path, { token, ...(method === 'POST' && { raw: '{' }) });
        expect(answer.status).toBe(401);
        expect(answer.body).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
      }
    },
  );

  test.each(calls)(
    'answers 403 to a key of another region before it checks the token in %s %s',
    async (method, path) => {
      const other = await messenger.createProject({ region: 'us' });
      const answer = await messenger.call(method, path, {
        token: other.key,
        ...(method === 'POST' && { raw: '{' }),
      });
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ statusCode: 403, error: 'Forbidden' });
    },
  );

  test('sends Vary: Authorization and allows any origin', async () => {
    const answer = await visitor.to('GET', '/v1/conversations/x', {
      headers: { Origin: 'https://shop.test' },
    });
    expect(answer.headers.get('vary')).toContain('Authorization');
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('the conversation token', () => {
  test('gives a token access to its own conversation only, with the same refusal for all others', async () => {
    const [mine, other] = [await visitor.open(), await visitor.open()];
    const stranger = visitorOf(messenger, await messenger.createProject());
    const unknown = `cnv_${'0'.repeat(32)}`;
    const refusals = [
      await visitor.to('GET', `/v1/conversations/${mine.id}`),
      await visitor.read({ id: mine.id, token: 'nonsense' }),
      await visitor.read({ id: mine.id, token: other.token }),
      await visitor.read({ id: mine.id, token: `cvt_${'A'.repeat(43)}` }),
      await visitor.read({ id: unknown, token: mine.token }),
      await visitor.read({ id: 'a%00b', token: mine.token }),
      await visitor.read({ id: 'x'.repeat(300), token: mine.token }),
      await stranger.read(mine),
      await visitor.send({ id: mine.id, token: other.token }, 'hello'),
      await visitor.to('POST', `/v1/conversations/${mine.id}/turns`, { raw: '{' }),
    ];
    for (const answer of refusals) {
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(refusals[0]?.body);
    }
    expect((await visitor.read(mine)).status).toBe(200);
  });

  test('expires a token 30 days after its last use', async () => {
    const conversation = await visitor.open();
    messenger.time.shift = 30 * DAY - 60_000;
    expect((await visitor.to('GET', `/v1/conversations/${conversation.id}`)).status).toBe(401);
    messenger.time.shift = 30 * DAY + 1000;
    expect((await visitor.read(conversation)).status).toBe(401);
    messenger.time.shift = 0;
  });

  test('renews a token with each read and turn, up to 180 days after opening', async () => {
    const conversation = await visitor.open();
    const used = [29, 58, 87, 116, 145, 174, 179];
    for (const [index, day] of used.entries()) {
      messenger.time.shift = day * DAY;
      const answer =
        index % 2 === 0 ? await visitor.read(conversation) : await visitor.send(conversation, 'still here');
      expect([day, answer.status]).toEqual([day, index % 2 === 0 ? 200 : 201]);
    }
    messenger.time.shift = 180 * DAY + 1000;
    expect((await visitor.read(conversation)).status).toBe(401);
    messenger.time.shift = 0;
  });
});

describe('limits of opening and turns', () => {
  test('limits opens to 30 per minute, project and address, and to a number per minute and project', async () => {
    const { url } = await messenger.startInstance(
      { TRUSTED_PROXY_HOPS: '1' },
      { constants: { limits: { opensPerProject: 35 } } },
    );
    const limited = visitorOf(messenger, await messenger.createProject(), url);
    const other = visitorOf(messenger, await messenger.createProject(), url);
    const open = (who: Visitor, address: string) =>
      who.to('POST', '/v1/conversations', {
        body: { distinctId: 'a' },
        headers: { 'X-Forwarded-For': address },
      });
    const statuses = [];
    for (let count = 0; count < 30; count++) statuses.push((await open(limited, '10.0.0.1')).status);
    expect(new Set(statuses)).toEqual(new Set([201]));
    const refused = await open(limited, '10.0.0.1');
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ statusCode: 429, error: 'Too Many Requests' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await open(other, '10.0.0.1')).status).toBe(201);
    for (let count = 0; count < 5; count++) expect((await open(limited, `10.0.1.${count}`)).status).toBe(201);
    expect((await open(limited, '10.0.2.1')).status).toBe(429);
  });

  test('multiplies its limits by RATE_LIMITS_MULTIPLIER', async () => {
    const { url } = await messenger.startInstance({ RATE_LIMITS_MULTIPLIER: '2' });
    const limited = visitorOf(messenger, project, url);
    const open = () => limited.to('POST', '/v1/conversations', { body: { distinctId: 'a' } });
    const statuses: number[] = [];
    for (let count = 0; count < 61; count++) statuses.push((await open()).status);
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 201), 429]);
  });

  test('limits turns to 60 per minute and conversation', async () => {
    const [conversation, other] = [await visitor.open(), await visitor.open()];
    for (let count = 0; count < 60; count++) {
      expect((await visitor.send(conversation, `turn ${count}`)).status).toBe(201);
    }
    const refused = await visitor.send(conversation, 'one more');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    expect((await visitor.send(other, 'hello')).status).toBe(201);
    expect((await visitor.read(conversation)).body.turns).toHaveLength(60);
  });
});
