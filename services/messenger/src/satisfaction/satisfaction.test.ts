import { testMember } from '@switchboard/directory/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type TestConversation, type Visitor, visitorOf } from '../testing/visitor.ts';

const messenger = await useMessenger({ limits: { ratingsPerConversation: 20 } });
const DAY_MS = 86_400_000;
let project: TestProject;
let visitor: Visitor;
let ada: string;

beforeAll(async () => {
  project = await messenger.createProject();
  await messenger.directory.put('member', testMember(project.companyId, 'ada', { role: 'support' }));
  ada = await messenger.mint({ sub: 'ada' });
  visitor = visitorOf(messenger, project);
  await ask(true);
});

const asAda = (method: string, path: string, body?: unknown, token = ada) =>
  messenger.call(method, `/v1/projects/${project.id}${path}`, { token, body });

async function ask(asksSatisfaction: boolean): Promise<void> {
  const { body } = await asAda('GET', '/support-settings');
  const { status } = await asAda('PUT', '/support-settings', { ...body, asksSatisfaction });
  expect(status).toBe(200);
}

const setStatus = ({ id }: TestConversation, status: string) =>
  asAda('POST', '/conversation-changes', { conversationIds: [id], change: { status } });

const read = (of: TestConversation) =>
  visitor.to('GET', `/v1/conversations/${of.id}/satisfaction`, { conversationToken: of.token });

const rate = (of: TestConversation, body: object) =>
  visitor.to('POST', `/v1/conversations/${of.id}/satisfaction`, { conversationToken: of.token, body });

async function resolved(): Promise<TestConversation> {
  const conversation = await visitor.open();
  await visitor.send(conversation, 'Hello');
  await setStatus(conversation, 'resolved');
  return conversation;
}

const seen = async ({ id }: TestConversation) => (await asAda('GET', `/conversations/${id}`)).body;

const listed = async (query: string) => {
  const { body } = await asAda('GET', `/conversations?${query}`);
  return body.conversations.map(({ id }: { id: string }) => id);
};

describe('a rating', () => {
  test('is asked for and stored when the conversation is resolved, and agents see it', async () => {
    const conversation = await resolved();
    expect((await read(conversation)).body).toEqual({
      asked: true,
      score: null,
      comment: null,
      changeableUntil: null,
    });
    const rated = await rate(conversation, { score: 2, comment: 'Too slow' });
    expect([rated.status, rated.body]).toEqual([
      200,
      { asked: true, score: 2, comment: 'Too slow', changeableUntil: expect.any(String) },
    ]);
    expect((await read(conversation)).body).toEqual(rated.body);
    const { satisfactionScore, ratings } = await seen(conversation);
    expect([satisfactionScore, ratings]).toEqual([
      2,
      [{ score: 2, comment: 'Too slow', ratedAt: expect.any(String), resolvedAt: expect.any(String) }],
    ]);
    expect(await listed('satisfaction=bad')).toContain(conversation.id);
    expect(await listed('satisfaction=good')).not.toContain(conversation.id);
  });

  test('is refused while the conversation is not resolved', async () => {
    const conversation = await visitor.open();
    await visitor.send(conversation, 'Hello');
    expect((await read(conversation)).body.asked).toBe(false);
    const { status, body } = await rate(conversation, { score: 5 });
    expect([status, body.message]).toEqual([409, 'The conversation cannot be rated now.']);
    expect((await seen(conversation)).ratings).toEqual([]);
  });

  test('is refused if the project does not ask for ratings', async () => {
    const conversation = await resolved();
    await ask(false);
    expect((await read(conversation)).body.asked).toBe(false);
    expect((await rate(conversation, { score: 5 })).status).toBe(409);
    await ask(true);
  });

  test('can be changed for a day, and not later', async () => {
    const conversation = await resolved();
    await rate(conversation, { score: 1, comment: 'Bad' });
    messenger.time.shift += DAY_MS - 60_000;
    expect((await rate(conversation, { score: 4 })).body).toMatchObject({ score: 4, comment: null });
    messenger.time.shift += 120_000;
    expect((await read(conversation)).body).toMatchObject({ asked: false, score: 4 });
    expect((await rate(conversation, { score: 5 })).status).toBe(409);
    expect((await seen(conversation)).ratings).toMatchObject([{ score: 4 }]);
  });

  test('is given once for each resolution', async () => {
    const conversation = await resolved();
    await setStatus(conversation, 'resolved');
    await rate(conversation, { score: 5 });
    await visitor.send(conversation, 'One more thing');
    expect((await rate(conversation, { score: 1 })).status).toBe(409);
    await setStatus(conversation, 'resolved');
    await rate(conversation, { score: 3 });
    const { ratings, satisfactionScore } = await seen(conversation);
    expect(ratings.map(({ score }: { score: number }) => score)).toEqual([5, 3]);
    expect(satisfactionScore).toBe(3);
  });

  test('is refused outside 1 to 5, with a long comment and with the token of another conversation', async () => {
    const conversation = await resolved();
    for (const body of [
      {},
      { score: 0 },
      { score: 6 },
      { score: 2.5 },
      { score: 5, comment: 'x'.repeat(1_001) },
    ])
      expect((await rate(conversation, body)).status).toBe(400);
    const other = await resolved();
    expect((await rate({ ...conversation, token: other.token }, { score: 5 })).status).toBe(401);
    expect((await seen(conversation)).ratings).toEqual([]);
  });

  test('is limited for each conversation', async () => {
    const conversation = await resolved();
    const statuses = [];
    for (let count = 0; count < 21; count += 1) statuses.push((await read(conversation)).status);
    expect([statuses[19], statuses[20]]).toEqual([200, 429]);
  });
});

describe('the conversations that wait for an answer', () => {
  test('are listed longest first, page by page, until they are answered or resolved', async () => {
    const waiting: TestConversation[] = [];
    for (let count = 0; count < 3; count += 1) {
      messenger.time.shift += 1_000;
      const conversation = await visitor.open();
      await visitor.send(conversation, 'Hello');
      waiting.push(conversation);
    }
    const [first, second, third] = waiting.map(({ id }) => id);
    const mine = new Set([first, second, third]);
    const ofMine = async () => (await listed('sort=waiting&limit=50')).filter((id: string) => mine.has(id));
    messenger.time.shift += 1_000;
    await visitor.send(waiting[0] as TestConversation, 'Are you there?');
    expect(await ofMine()).toEqual([first, second, third]);
    const pages: string[] = [];
    for (let cursor = ''; ; ) {
      const page = (await asAda('GET', `/conversations?sort=waiting&limit=1${cursor}`)).body;
      pages.push(...page.conversations.map(({ id }: { id: string }) => id));
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(pages.filter((id) => mine.has(id))).toEqual([first, second, third]);
    await asAda('POST', `/conversations/${first}/turns`, { body: 'Yes' });
    await setStatus(waiting[1] as TestConversation, 'resolved');
    expect(await ofMine()).toEqual([third]);
    expect((await seen(waiting[2] as TestConversation)).waitingSince).toEqual(expect.any(String));
  });
});
