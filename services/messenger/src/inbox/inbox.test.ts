import { eventually } from '@switchboard/testkit';
import { describe, expect, test } from 'vitest';
import { useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { createInboxStore } from './store.ts';

const messenger = await useMessenger();

async function send({ id }: TestProject, body: object): Promise<string> {
  const answer = await messenger.manage('POST', `/projects/${id}/messages`, {
    title: 't',
    body: 'b',
    ...body,
  });
  expect(answer.status).toBe(201);
  return answer.body.id;
}
const list = ({ key }: TestProject, distinctId: string) =>
  messenger.call('GET', `/v1/messages?distinct_id=${encodeURIComponent(distinctId)}`, { token: key });
const inboxOf = async (project: TestProject, distinctId: string): Promise<string[]> =>
  (await list(project, distinctId)).body.messages.map(({ id }: { id: string }) => id);
const markRead = ({ key }: TestProject, message_id: string, distinct_id: string) =>
  messenger.call('POST', '/v1/messages/read', { token: key, body: { message_id, distinct_id } });

describe('the inbox', () => {
  test('lists the messages to everyone and to this person, newest first', async () => {
    const project = await messenger.createProject();
    const first = await send(project, { title: 'New: ünïcode 🎉', body: ' kept as it is ' });
    const second = await send(project, { distinctIds: ['ada', 'ada', 'grace'] });
    const third = await send(project, { distinctIds: ['grace'] });
    const fourth = await send(project, {});
    expect(await inboxOf(project, 'ada')).toEqual([fourth, second, first]);
    expect(await inboxOf(project, 'grace')).toEqual([fourth, third, second, first]);
    expect(await inboxOf(project, 'nobody')).toEqual([fourth, first]);
    const { body } = await list(project, 'ada');
    expect(body.messages.at(-1)).toEqual({
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      title: 'New: ünïcode 🎉',
      body: ' kept as it is ',
      read: false,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  test('lists up to 100 messages', async () => {
    const project = await messenger.createProject();
    const sent: string[] = [];
    for (let count = 0; count < 110; count++) {
      sent.push(await send(project, count % 2 === 0 ? {} : { distinctIds: ['ada'] }));
    }
    expect(await inboxOf(project, 'ada')).toEqual(sent.toReversed().slice(0, 100));
    expect(await inboxOf(project, 'other')).toHaveLength(55);
  });

  test('lists only messages of the project', async () => {
    const [project, other] = [await messenger.createProject(), await messenger.createProject()];
    await send(project, {});
    await send(project, { distinctIds: ['ada'] });
    expect(await inboxOf(other, 'ada')).toEqual([]);
  });

  test('requires a distinct_id of 1 to 200 characters', async () => {
    const { key } = await messenger.createProject();
    for (const query of [
      '',
      '?distinct_id=',
      '?distinct_id=%20%09',
      `?distinct_id=${'x'.repeat(201)}`,
      '?distinct_id=%00',
    ]) {
      const answer = await messenger.call('GET', `/v1/messages${query}`, { token: key });
      expect([answer.status, answer.body.statusCode]).toEqual([400, 400]);
      expect(answer.body.message).toContain('distinct_id');
    }
  });

  test('reads few rows whatever the number of messages and people', async () => {
    const { sql, drizzle } = messenger.database;
    await sql`insert into messages (id, project_id, title, body, to_everyone, created_at)
      select 'many' || n, 'many', 't', 'b', n % 2 = 0, now() - n * interval '1 minute'
      from generate_series(1, 20000) n`;
    await sql`insert into recipients (project_id, distinct_id, created_at, message_id)
      select 'many', 'd' || n % 100, created_at, id from messages, generate_series(1, 3) n
      where project_id = 'many' and not to_everyone`;
    await sql`insert into reads select 'many', 'd1', id from messages where project_id = 'many' and to_everyone`;
    await sql`analyze`;
    const explain = async (ids: string[]) => {
      const { sql: text, params } = createInboxStore(drizzle).listQuery('many', ids, new Date()).toSQL();
      const [plan] = await sql.unsafe(`explain (analyze, buffers, format json) ${text}`, params as never[]);
      return JSON.stringify(plan);
    };
    const plan = await explain(['d1', 'd2']);
    const rows = [...plan.matchAll(/"Actual Rows":\s*([\d.]+)/g)].map(([, count]) => Number(count));
    expect(Math.max(...rows)).toBeLessThanOrEqual(200);
    expect(plan).not.toContain('Seq Scan');

    const person = Array.from({ length: 1_000 }, (_, index) => `d${index}`);
    const pages = [...(await explain(person)).matchAll(/"Shared (?:Hit|Read) Blocks":\s*(\d+)/g)];
    expect(Number(pages[0]?.[1])).toBeLessThanOrEqual(20_000);
  });
});

describe('a scheduled message', () => {
  const soon = () => new Date(Date.now() + 3_600_000).toISOString();
  const sentOf = async ({ id }: TestProject) =>
    (await messenger.manage('GET', `/projects/${id}/messages`)).body.messages;

  /** Makes a message due, as if its time had come. */
  async function makeDue(id: string): Promise<void> {
    const { sql } = messenger.database;
    const past = new Date(Date.now() - 1000).toISOString();
    await sql`update recipients set created_at = ${past}::timestamptz where message_id = ${id}`;
    await sql`update messages set created_at = ${past}::timestamptz where id = ${id}`;
  }

  test('is in no inbox before its time, and in those of its recipients from then on', async () => {
    const project = await messenger.createProject();
    const sendAt = soon();
    const toAda = await send(project, { distinctIds: ['ada', 'ada', 'grace'], sendAt });
    const toAll = await send(project, { sendAt });
    expect(await inboxOf(project, 'ada')).toEqual([]);
    expect((await markRead(project, toAda, 'ada')).body).toEqual({ ok: false });
    expect(await sentOf(project)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ id: toAda, createdAt: sendAt, isScheduled: true, recipients: 2, reads: 0 }),
        expect.objectContaining({ id: toAll, createdAt: sendAt, isScheduled: true, recipients: null }),
      ]),
    );
    await makeDue(toAda);
    expect(await inboxOf(project, 'ada')).toEqual([toAda]);
    expect(await inboxOf(project, 'linus')).toEqual([]);
    expect((await markRead(project, toAda, 'ada')).body).toEqual({ ok: true });
    await makeDue(toAll);
    expect(await inboxOf(project, 'linus')).toEqual([toAll]);
    const [found] = (await sentOf(project)).filter(({ id }: { id: string }) => id === toAda);
    expect(found).toMatchObject({ isScheduled: false, recipients: 2, reads: 1 });
  });

  test('is announced once by any number of instances', async () => {
    const project = await messenger.createProject();
    const id = await send(project, { distinctIds: ['ada'], sendAt: soon() });
    await makeDue(id);
    const store = createInboxStore(messenger.database.drizzle);
    const taken = await Promise.all([1, 2, 3].map(() => store.takeDue(new Date(), 20)));
    expect(taken.flat().filter((one) => one.id === id).length).toBeLessThanOrEqual(1);
    await eventually(async () => {
      const [row] = await messenger.database.sql`select is_waiting from messages where id = ${id}`;
      expect(row?.['is_waiting']).toBe(false);
    });
  });

  test('can be cancelled until it is sent', async () => {
    const [project, other] = [await messenger.createProject(), await messenger.createProject()];
    const [first, second] = [
      await send(project, { distinctIds: ['ada'], sendAt: soon() }),
      await send(project, {}),
    ];
    const cancel = ({ id }: TestProject, message: string) =>
      messenger.manage('DELETE', `/projects/${id}/messages/${message}`);
    expect((await cancel(other, first)).status).toBe(404);
    expect((await cancel(project, second)).status).toBe(409);
    expect((await cancel(project, first)).status).toBe(204);
    expect((await cancel(project, first)).status).toBe(404);
    expect((await sentOf(project)).map(({ id }: { id: string }) => id)).toEqual([second]);
    const { sql } = messenger.database;
    expect(await sql`select from recipients where message_id = ${first}`).toHaveLength(0);
  });

  test('is sent at once for a time that is past, and refused more than a year ahead', async () => {
    const project = await messenger.createProject();
    const id = await send(project, { sendAt: '2020-01-01T00:00:00Z' });
    expect(await inboxOf(project, 'ada')).toEqual([id]);
    const late = { title: 't', body: 'b', sendAt: '2099-01-01T00:00:00Z' };
    const answer = await messenger.manage('POST', `/projects/${project.id}/messages`, late);
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringContaining('sendAt')]);
  });
});

test('sends a message once for an Idempotency-Key, in its project', async () => {
  const [project, other] = [await messenger.createProject(), await messenger.createProject()];
  const sendOnce = (of: TestProject, key: string) =>
    messenger.manage(
      'POST',
      `/projects/${of.id}/messages`,
      { title: 'Once', body: 'x', distinctIds: ['ada'] },
      { 'Idempotency-Key': key },
    );
  const sent = await Promise.all(Array.from({ length: 5 }, () => sendOnce(project, 'k')));
  expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([201]));
  expect(new Set(sent.map(({ body }) => body.id)).size).toBe(1);
  expect(await inboxOf(project, 'ada')).toEqual([sent[0]?.body.id]);
  expect((await sendOnce(project, 'other')).body.id).not.toBe(sent[0]?.body.id);
  expect((await sendOnce(other, 'k')).body.id).not.toBe(sent[0]?.body.id);
  const long = await sendOnce(project, 'k'.repeat(201));
  expect([long.status, long.body.error.message]).toEqual([400, expect.stringContaining('Idempotency-Key')]);
});

test('limits requests for messages by address, and marks by project', async () => {
  const [project, other] = [await messenger.createProject(), await messenger.createProject()];
  const byAddress = await messenger.startInstance(
    {},
    { constants: { limits: { messageRequestsPerAddress: 2 } } },
  );
  const byProject = await messenger.startInstance(
    {},
    { constants: { limits: { messageReadsPerProject: 2 } } },
  );
  const mark = async ({ key }: TestProject, url: string) =>
    (
      await messenger.call('POST', '/v1/messages/read', {
        url,
        token: key,
        body: { message_id: 'msg_x', distinct_id: 'ada' },
      })
    ).status;
  const read = async ({ key }: TestProject, url: string) =>
    (await messenger.call('GET', '/v1/messages?distinct_id=ada', { url, token: key })).status;
  expect([
    await read(project, byAddress.url),
    await mark(project, byAddress.url),
    await read(project, byAddress.url),
    await mark(project, byAddress.url),
    await read(other, byAddress.url),
  ]).toEqual([200, 200, 429, 429, 200]);
  expect([
    await mark(project, byProject.url),
    await mark(project, byProject.url),
    await mark(project, byProject.url),
    await mark(other, byProject.url),
    await read(project, byProject.url),
  ]).toEqual([200, 200, 429, 200, 200]);
});

describe('the inbox of a person with several ids', () => {
  async function joinedProject(...ids: string[]) {
    const project = await messenger.createProject();
    await messenger.join(project, 'ada', ...ids);
    return project;
  }

  test('lists a message to any id of the person on each of them, once', async () => {
    const project = await joinedProject('phone', 'laptop');
    const toPhone = await send(project, { distinctIds: ['phone'] });
    const toAll = await send(project, { distinctIds: ['ada', 'laptop', 'phone'] });
    const toEveryone = await send(project, {});
    for (const id of ['ada', 'phone', 'laptop'])
      expect(await inboxOf(project, id)).toEqual([toEveryone, toAll, toPhone]);
    expect(await inboxOf(project, 'grace')).toEqual([toEveryone]);
  });

  test('marks a message as read on every id, and for no other person', async () => {
    const project = await joinedProject('phone', 'laptop');
    const own = await send(project, { distinctIds: ['phone'] });
    const everyone = await send(project, {});
    const unread = async (id: string) =>
      (await list(project, id)).body.messages
        .filter(({ read }: { read: boolean }) => !read)
        .map(({ id }: { id: string }) => id);
    for (const id of [own, everyone])
      expect((await markRead(project, id, 'laptop')).body).toEqual({ ok: true });
    for (const id of ['ada', 'phone', 'laptop']) expect(await unread(id)).toEqual([]);
    expect(await unread('grace')).toEqual([everyone]);
    expect((await markRead(project, own, 'grace')).body).toEqual({ ok: false });
  });

  test('gives each id what it had once the ids are parted', async () => {
    const project = await joinedProject('phone');
    const own = await send(project, { distinctIds: ['phone'] });
    expect(await inboxOf(project, 'ada')).toEqual([own]);
    await messenger.part(project, 'phone');
    expect(await inboxOf(project, 'ada')).toEqual([]);
    expect(await inboxOf(project, 'phone')).toEqual([own]);
  });

  test('ignores joins of another project', async () => {
    const [project, other] = [await joinedProject('phone'), await messenger.createProject()];
    await send(other, { distinctIds: ['phone'] });
    expect(await inboxOf(other, 'ada')).toEqual([]);
    expect(await inboxOf(project, 'ada')).toEqual([]);
  });
});

describe('marking as read', () => {
  test('marks a message as read for one person, and again without effect', async () => {
    const project = await messenger.createProject();
    const [all, own] = [await send(project, {}), await send(project, { distinctIds: ['ada'] })];
    for (let times = 0; times < 2; times++) {
      for (const id of [all, own]) {
        const answer = await markRead(project, id, 'ada');
        expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
      }
    }
    const marks = async (distinctId: string) =>
      (await list(project, distinctId)).body.messages.map(({ read }: { read: boolean }) => read);
    expect(await marks('ada')).toEqual([true, true]);
    expect(await marks('grace')).toEqual([false]);
  });

  test("returns ok: false for a message that is not in that person's inbox", async () => {
    const [project, other] = [await messenger.createProject(), await messenger.createProject()];
    const [all, own] = [await send(project, {}), await send(project, { distinctIds: ['ada'] })];
    for (const [of, id, person] of [
      [project, own, 'grace'],
      [project, 'msg_0', 'ada'],
      [other, all, 'ada'],
      [other, own, 'ada'],
    ] as const) {
      const answer = await markRead(of, id, person);
      expect([answer.status, answer.body]).toEqual([200, { ok: false }]);
    }
  });

  test.each([
    [{}],
    [{ message_id: 'm' }],
    [{ distinct_id: 'd' }],
    [{ message_id: '', distinct_id: 'd' }],
    [{ message_id: ' ', distinct_id: 'd' }],
    [{ message_id: 'm', distinct_id: ' ' }],
  ])('rejects the mark %j', async (body) => {
    const { key } = await messenger.createProject();
    const answer = await messenger.call('POST', '/v1/messages/read', { token: key, body });
    expect([answer.status, answer.body.error]).toEqual([400, 'Bad Request']);
  });
});

test('requires a title, a body and, if distinctIds is given, at least one in a message', async () => {
  const { id } = await messenger.createProject();
  const path = `/projects/${id}/messages`;
  for (const body of [
    { title: '', body: 'b' },
    { title: ' ', body: 'b' },
    { title: 'x'.repeat(201), body: 'b' },
    { title: 't' },
    { title: 't', body: 'x'.repeat(10_001) },
    { title: 't', body: 'b', distinctIds: [] },
    { title: 't', body: 'b', distinctIds: [''] },
    { title: 't', body: 'b', distinctIds: ['ada', ' '] },
  ]) {
    expect((await messenger.manage('POST', path, body)).status).toBe(400);
  }
  const many = Array.from({ length: 10_000 }, (_, index) => `person-${index}`);
  expect((await messenger.manage('POST', path, { title: 't', body: 'b', distinctIds: many })).status).toBe(
    201,
  );
  expect(
    (await messenger.manage('POST', '/projects/nowhere/messages', { title: 't', body: 'b' })).status,
  ).toBe(404);
});

test('answers 401 to a missing or invalid key, and 403 to one of another region', async () => {
  const abroad = await messenger.createProject({ region: 'us' });
  for (const [token, status] of [
    [null, 401],
    ['nonsense', 401],
    [abroad.key, 403],
  ] as const) {
    expect((await messenger.call('GET', '/v1/messages', { token })).status).toBe(status);
    expect((await messenger.call('POST', '/v1/messages/read', { token, raw: '{' })).status).toBe(status);
  }
});

test('lists the messages sent in the project page by page to those who send them', async () => {
  const [project, other] = [await messenger.createProject(), await messenger.createProject()];
  const first = await send(project, { title: 'first' });
  const second = await send(project, { distinctIds: ['ada'] });
  const third = await send(project, {});
  await send(other, {});
  const pages: unknown[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await messenger.manage(
      'GET',
      `/projects/${project.id}/messages?limit=2${cursor && `&cursor=${cursor}`}`,
    );
    expect(status).toBe(200);
    pages.push(body.messages);
    cursor = body.nextCursor;
  }
  expect(pages).toMatchObject([
    [{ id: third }, { id: second, toEveryone: false }],
    [{ id: first, title: 'first', body: 'b', toEveryone: true, createdAt: expect.any(String) }],
  ]);
  for (const id of ['msg_\0', 'x'.repeat(36), `cnv_${'0'.repeat(32)}`]) {
    const cursor = Buffer.from(JSON.stringify(['2026-03-01T00:00:00.000Z', id])).toString('base64url');
    const { status } = await messenger.manage('GET', `/projects/${project.id}/messages?cursor=${cursor}`);
    expect([id, status]).toEqual([id, 400]);
  }
});
