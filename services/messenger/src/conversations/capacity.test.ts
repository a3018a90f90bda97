import { beforeAll, describe, expect, test } from 'vitest';
import { useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type TestConversation, type Visitor, visitorOf } from '../testing/visitor.ts';
import { CAPACITY } from './turns/size.ts';

const messenger = await useMessenger({
  limits: { turnsPerConversation: 1_000, readsPerConversation: 20 },
});
let project: TestProject;
let visitor: Visitor;
beforeAll(async () => {
  project = await messenger.createProject();
  visitor = visitorOf(messenger, project);
});

const operatorPath = ({ id }: TestConversation) => `/projects/${project.id}/conversations/${id}`;
const reply = (conversation: TestConversation, body = 'Hi') =>
  messenger.manage('POST', `${operatorPath(conversation)}/turns`, { authorId: 'grace', body });

describe('the capacity of a conversation', () => {
  test('accepts 4 MB of text, then answers 409, and still allows reads and repeated turns', async () => {
    const conversation = await visitor.open();
    const key = { 'Idempotency-Key': 'first' };
    const first = await visitor.send(conversation, 'first', key);
    // In JSON, each character takes six bytes.
    const body = '\u0001'.repeat(10_000);
    const statuses = new Set<number>();
    let last = first;
    for (let count = 0; count < 70; count++) {
      last = await visitor.send(conversation, body);
      statuses.add(last.status);
    }
    expect([...statuses]).toEqual([201, 409]);
    expect(last.body).toMatchObject({
      error: 'Conflict',
      message: expect.stringContaining('Open a new one.'),
    });
    expect((await reply(conversation, body)).status).toBe(409);
    expect((await visitor.send(conversation, 'first', key)).body).toEqual(first.body);
    const { status, bytes } = await visitor.read(conversation);
    expect(status).toBe(200);
    expect(bytes.length).toBeLessThan(CAPACITY.bytes * 1.1);
  });

  test('counts page contexts, which operators read, as text', async () => {
    const conversation = await visitor.open();
    const pageContext = { host: 'h', path: '\u0001'.repeat(2048), title: '' };
    await visitor.send(conversation, { body: 'x', pageContext });
    const [row] = await messenger.database.sql`
      select turn_bytes from conversations where id = ${conversation.id}`;
    expect(row?.['turn_bytes']).toBeGreaterThan(6 * 2048);
  });

  test('accepts 2,000 turns, then answers 409, also to concurrent ones and to a teammate', async () => {
    const conversation = await visitor.open();
    await messenger.database.sql`
      update conversations set turn_count = 1995 where id = ${conversation.id}`;
    const sent = await Promise.all(Array.from({ length: 10 }, () => visitor.send(conversation, 'x')));
    expect(sent.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 5 }, () => 201),
      ...Array.from({ length: 5 }, () => 409),
    ]);
    const refused = await reply(conversation);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await visitor.read(conversation)).body.turns).toHaveLength(5);
  });

  test('returns the turns after a given one to visitor and operator', async () => {
    const [conversation, other] = [await visitor.open(), await visitor.open()];
    const ids: string[] = [];
    for (const body of ['one', 'two', 'three'])
      ids.push((await visitor.send(conversation, body)).body.turn.id);
    const foreign = (await visitor.send(other, 'other')).body.turn.id;
    const after = (id: string) =>
      visitor.to('GET', `/v1/conversations/${conversation.id}?after=${id}`, {
        conversationToken: conversation.token,
      });
    expect((await after(ids[0] ?? '')).body.turns.map(({ body }: { body: string }) => body)).toEqual([
      'two',
      'three',
    ]);
    expect((await after(ids[2] ?? '')).body.turns).toEqual([]);
    for (const id of [foreign, 'trn_x']) {
      const refused = await after(id);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('after: ')]);
    }
    const seen = await messenger.manage('GET', `${operatorPath(conversation)}?after=${ids[1]}`);
    expect(seen.body.turns.map(({ body }: { body: string }) => body)).toEqual(['three']);
  });
});

describe('limits of conversations', () => {
  test('limits reads by conversation and by address', async () => {
    const conversation = await visitor.open();
    const statuses: number[] = [];
    for (let count = 0; count < 21; count++) statuses.push((await visitor.read(conversation)).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    const { url } = await messenger.startInstance({}, { constants: { limits: { readsPerAddress: 2 } } });
    const limited = visitorOf(messenger, project, url);
    const conversations = [await limited.open(), await limited.open(), await limited.open()];
    const reads: number[] = [];
    for (const one of conversations) reads.push((await limited.read(one)).status);
    expect(reads).toEqual([200, 200, 429]);
  });

  test('refuses a conversation past its limits before it looks up a token', async () => {
    const { url } = await messenger.startInstance(
      {},
      { constants: { limits: { turnsPerConversation: 1, readsPerConversation: 1 } } },
    );
    const limited = visitorOf(messenger, project, url);
    const conversation = await limited.open();
    const forged = { ...conversation, token: `cvt_${'x'.repeat(43)}` };
    const both = async (one: TestConversation) => [
      (await limited.send(one, 'x')).status,
      (await limited.read(one)).status,
    ];
    expect(await both(forged)).toEqual([401, 401]);
    expect(await both(conversation)).toEqual([201, 200]);
    expect(await both(conversation)).toEqual([429, 429]);
    expect(await both(forged)).toEqual([429, 429]);
  });

  test('limits turns by address over all conversations', async () => {
    const { url } = await messenger.startInstance({}, { constants: { limits: { turnsPerAddress: 2 } } });
    const limited = visitorOf(messenger, project, url);
    const conversations = [await limited.open(), await limited.open(), await limited.open()];
    const turns: number[] = [];
    for (const one of conversations) turns.push((await limited.send(one, 'x')).status);
    expect(turns).toEqual([201, 201, 429]);
  });

  test('limits turns and reads by project over all conversations and addresses', async () => {
    const { url } = await messenger.startInstance(
      { TRUSTED_PROXY_HOPS: '1' },
      { constants: { limits: { turnsPerProject: 2, readsPerProject: 2 } } },
    );
    const limited = visitorOf(messenger, project, url);
    const other = visitorOf(messenger, await messenger.createProject(), url);
    const answers: [number, number, string | null][] = [];
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.3']) {
      const conversation = await limited.open();
      const headers = { 'X-Forwarded-For': address };
      const turn = await limited.send(conversation, 'x', headers);
      const read = await limited.read(conversation, headers);
      answers.push([turn.status, read.status, turn.headers.get('retry-after')]);
    }
    expect(answers).toEqual([
      [201, 200, null],
      [201, 200, null],
      [429, 429, expect.stringMatching(/^\d+$/)],
    ]);
    const conversation = await other.open();
    expect((await other.send(conversation, 'x')).status).toBe(201);
    expect((await other.read(conversation)).status).toBe(200);
  });
});

describe('a quota of 20,000 bytes read a second', () => {
  const text = 'x'.repeat(9_000);

  async function fill(reader: ReturnType<typeof visitorOf>, turns: number) {
    const conversation = await reader.open();
    for (let count = 0; count < turns; count++) await reader.send(conversation, text);
    return conversation;
  }

  test('limits the bytes read by a project from any address, and serves other projects', async () => {
    const { url } = await messenger.startInstance(
      { TRUSTED_PROXY_HOPS: '1' },
      { constants: { limits: { readBytesPerProjectPerSecond: 20_000 } } },
    );
    const limited = visitorOf(messenger, project, url);
    const other = visitorOf(messenger, await messenger.createProject(), url);
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const [conversation, foreign] = [await fill(limited, 6), await fill(other, 1)];
    const first = await limited.read(conversation, from('192.0.2.1'));
    expect([first.status, first.body.turns.length]).toEqual([200, 6]);
    const refused = await limited.read(conversation, from('198.51.100.1'));
    expect([refused.status, refused.body.error]).toEqual([429, 'Too Many Requests']);
    expect(refused.headers.get('retry-after')).toMatch(/^[12]$/);
    const version = { 'If-None-Match': first.headers.get('etag') ?? '' };
    expect((await limited.read(conversation, version)).status).toBe(304);
    expect((await other.read(foreign)).status).toBe(200);
    await expect.poll(async () => (await limited.read(conversation)).status, { timeout: 10_000 }).toBe(200);
  });

  test('limits the bytes read by an address, serves other addresses, and counts only what follows a turn', async () => {
    const { url } = await messenger.startInstance(
      { TRUSTED_PROXY_HOPS: '1' },
      { constants: { limits: { readBytesPerAddressPerSecond: 20_000 } } },
    );
    const limited = visitorOf(messenger, project, url);
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    const conversation = await fill(limited, 6);
    const { body } = await limited.read(conversation, from('192.0.2.1'));
    expect((await limited.read(conversation, from('192.0.2.1'))).status).toBe(429);
    const after = `/v1/conversations/${conversation.id}?after=${body.turns[5].id}`;
    const poll = () =>
      limited.to('GET', after, {
        conversationToken: conversation.token,
        headers: from('192.0.2.2'),
      });
    for (let count = 0; count < 5; count++) expect((await poll()).status).toBe(200);
    expect((await limited.read(conversation, from('192.0.2.2'))).status).toBe(200);
  });
});

test('serves another project while turns of one project wait for the database', async () => {
  const conversation = await visitor.open();
  const other = visitorOf(messenger, await messenger.createProject());
  let done = 0;
  const turns = Array.from({ length: 200 }, () => visitor.send(conversation, 'x').then(() => done++));
  await Promise.race(turns);
  await other.open();
  expect(done).toBeLessThan(60);
  await Promise.all(turns);
});

describe("a teammate's turn", () => {
  test("sends a teammate's turn once for an Idempotency-Key, which is separate from the visitor's", async () => {
    const conversation = await visitor.open();
    const key = { 'Idempotency-Key': 'k' };
    const asked = await visitor.send(conversation, 'Question', key);
    const send = () =>
      messenger.manage(
        'POST',
        `${operatorPath(conversation)}/turns`,
        { authorId: 'grace', body: 'Answer' },
        key,
      );
    const answers = await Promise.all([send(), send(), send()]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body.turn.id)).size).toBe(1);
    const { turns } = (await visitor.read(conversation)).body;
    expect(turns.map(({ body }: { body: string }) => body)).toEqual(['Question', 'Answer']);
    expect((await visitor.send(conversation, 'Question', key)).body).toEqual(asked.body);
  });
});
