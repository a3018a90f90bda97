import { testMember } from '@switchboard/directory/testing';
import { eventually } from '@switchboard/testkit';
import { beforeAll, expect, test } from 'vitest';
import { png } from '../testing/files.ts';
import { useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { openStream } from '../testing/stream.ts';
import { visitorOf } from '../testing/visitor.ts';

const DAYS = 700;
const messenger = await useMessenger({
  env: {
    RATE_LIMITS_MULTIPLIER: '1000',
    CONVERSATIONS_RETENTION_DAYS: String(DAYS),
    SUPPORT_MAIL_DOMAIN: 'support.example',
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'support@switchboard.example',
  },
});
let project: TestProject;
let ada: string;

beforeAll(async () => {
  project = await messenger.createProject();
  await messenger.directory.put('member', testMember(project.companyId, 'ada', { role: 'editor' }));
  ada = await messenger.mint({ sub: 'ada' });
});

const as = (method: string, path: string, body?: unknown, token = ada) =>
  messenger.call(method, `/v1/projects/${project.id}${path}`, {
    token,
    ...(Buffer.isBuffer(body) ? { raw: body } : { body }),
  });

const NOW = Date.now();
const daysAgo = (days: number, minutes = 0) =>
  new Date(NOW - days * 86_400_000 + minutes * 60_000).toISOString();

let conversations = 0;
const conversation = (changes: object = {}) => ({
  externalId: String(++conversations),
  distinctId: `visitor-${conversations}`,
  subject: 'Invoice for March',
  status: 'open',
  createdAt: daysAgo(300),
  turns: [turn('1', 'visitor', 0), turn('2', 'teammate', 4, { authorName: 'Grace Hopper' })],
  ...changes,
});
const turn = (externalId: string, authorKind: string, minutes: number, changes: object = {}) => ({
  ...{ externalId, authorKind, body: `turn ${externalId}`, createdAt: daysAgo(300, minutes) },
  ...changes,
});

async function importAll(...given: object[]) {
  const { status, body } = await as('POST', '/conversation-imports', {
    source: 'chatwoot',
    conversations: given,
  });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.conversations;
}
const read = async (id: string) => (await as('GET', `/conversations/${id}`)).body;

test('keeps a snooze that is not over, follows it, and refuses one of a resolved conversation', async () => {
  const until = new Date(NOW + 86_400_000).toISOString();
  const given = conversation({ snooze: { until } });
  const [{ conversationId }] = await importAll(given);
  const snoozed = { status: 'open', snoozed: true, snoozedUntil: until };
  expect(await read(conversationId)).toMatchObject(snoozed);
  await importAll({ ...given, snooze: { until: null } });
  expect(await read(conversationId)).toMatchObject({ ...snoozed, snoozedUntil: null });
  await importAll({ ...given, snooze: { until: daysAgo(1) } });
  expect(await read(conversationId)).toMatchObject({ status: 'open', snoozed: false, snoozedUntil: null });
  const resolved = conversation({ snooze: { until }, status: 'resolved' });
  const body = { source: 'chatwoot', conversations: [resolved] };
  expect(await as('POST', '/conversation-imports', body)).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('a resolved conversation cannot be snoozed') } },
  });
});

test('imports a conversation with its turns and notes, and notifies no one', async () => {
  const { sql } = messenger.database;
  const labels = [{ id: 'refund', name: 'Refund', color: 'orange' }];
  const settings = { teams: [], savedReplies: [], views: [], keepAssigneeDays: null, asksSatisfaction: true };
  expect((await as('PUT', '/support-settings', { version: 0, labels, ...settings })).status).toBe(200);
  const stream = await openStream(messenger.url, project, ada);
  const given = conversation({
    ...{ status: 'resolved', priority: 'high', labelIds: ['refund'], email: 'ada@example.com' },
    notes: [{ externalId: '3', authorName: 'Alan', body: 'By hand.', createdAt: daysAgo(300, 5) }],
  });
  const [{ conversationId, ...result }] = await importAll(given);
  expect(result).toEqual({
    ...{ externalId: given.externalId, outcome: 'new', turns: 2, notes: 1, full: 0, waitingFor: [] },
  });
  const stored = await read(conversationId);
  expect(stored).toMatchObject({
    ...{ distinctId: given.distinctId, subject: 'Invoice for March', status: 'resolved', priority: 'high' },
    ...{ labelIds: ['refund'], importedFrom: 'chatwoot', createdAt: given.createdAt, waitingSince: null },
    ...{ lastTurnAt: given.turns[1]?.createdAt, resolvedAt: given.turns[1]?.createdAt, ratings: [] },
    firstReplyAt: given.turns[1]?.createdAt,
    contact: { email: 'ada@example.com', mailedAt: null },
    turns: [
      { authorKind: 'visitor', authorId: null, authorName: null, body: 'turn 1', via: 'messenger' },
      { authorKind: 'teammate', authorId: null, authorName: 'Grace Hopper', body: 'turn 2' },
    ],
    notes: [{ authorId: null, authorName: 'Alan', body: 'By hand.', createdAt: daysAgo(300, 5) }],
  });
  expect(await sql`select 1 from unpublished_conversations`).toHaveLength(0);
  expect(await sql`select 1 from waiting_pushes`).toHaveLength(0);
  expect(await sql`select 1 from conversation_resolutions`).toHaveLength(0);
  expect(await sql`select 1 from conversation_mail where due_at is not null`).toHaveLength(0);
  // A reply is the first message of the stream, so the import sent none.
  await as('POST', `/conversations/${conversationId}/turns`, { body: 'Hello again.' });
  const shown = () => stream.changes.filter(({ kind }) => kind !== 'settings');
  await eventually(() => expect(shown()).not.toEqual([]));
  expect(shown()[0]).toMatchObject({ kind: 'turn', conversationId });
  await stream.close();
});

test('an imported conversation is unread and waiting for no member, and no token opens it', async () => {
  const given = conversation({ turns: [turn('1', 'visitor', 0)] });
  const [{ conversationId }] = await importAll(given);
  const list = async (query = '') =>
    (await as('GET', `/conversations?distinctId=${given.distinctId}${query}`)).body.conversations;
  expect(await list()).toMatchObject([{ id: conversationId, unread: false, lastTurn: { body: 'turn 1' } }]);
  expect(await list('&sort=waiting')).toEqual([]);
  const visitor = visitorOf(messenger, project);
  for (const token of ['', `cvt_${'A'.repeat(43)}`])
    expect((await visitor.read({ id: conversationId, token })).status).toBe(401);
});

test('importing again adds nothing, and later what the export has gained', async () => {
  const given = conversation();
  const [first] = await importAll(given);
  const [again] = await importAll(given);
  expect(again).toEqual({ ...first, outcome: 'known', turns: 0 });
  const newer = {
    ...given,
    status: 'resolved',
    turns: [...given.turns, turn('4', 'visitor', 9), turn('4', 'visitor', 9)],
    notes: [{ externalId: '1', body: 'A note has ids of its own.', createdAt: daysAgo(1) }],
  };
  expect(await importAll(newer, newer)).toMatchObject([
    { outcome: 'known', turns: 1, notes: 1 },
    { outcome: 'known', turns: 0, notes: 0 },
  ]);
  const stored = await read(first.conversationId);
  expect(stored.turns.map(({ body }: { body: string }) => body)).toEqual(['turn 1', 'turn 2', 'turn 4']);
  expect(stored).toMatchObject({ status: 'resolved', lastTurnAt: newer.turns[2]?.createdAt });

  await as('POST', '/conversation-changes', {
    conversationIds: [first.conversationId],
    change: { status: 'pending' },
  });
  await importAll({ ...newer, status: 'open', turns: [...newer.turns, turn('5', 'visitor', 10)] });
  expect(await read(first.conversationId)).toMatchObject({ status: 'pending', turns: { length: 4 } });
});

test('the same conversation of another product or project is another one', async () => {
  const given = conversation();
  const [{ conversationId }] = await importAll(given);
  const { body } = await as('POST', '/conversation-imports', { source: 'intercom', conversations: [given] });
  expect(body.conversations[0]).toMatchObject({ outcome: 'new', turns: 2 });
  expect(body.conversations[0].conversationId).not.toBe(conversationId);
});

test('turns wait for their files, in order, and are imported once with them', async () => {
  const given = conversation({
    turns: [
      turn('1', 'visitor', 0),
      turn('2', 'visitor', 1, { body: '', attachmentIds: null }),
      turn('3', 'visitor', 2),
    ],
  });
  const [waiting] = await importAll(given);
  expect(waiting).toMatchObject({ outcome: 'new', turns: 1, waitingFor: ['2'] });
  const { conversationId } = waiting;
  const file = `/conversations/${conversationId}/attachments?name=invoice.png`;
  const { body: uploaded } = await as('POST', file, png());
  const complete = {
    ...given,
    turns: [given.turns[0], { ...given.turns[1], attachmentIds: [uploaded.id] }, given.turns[2]],
  };
  expect(await importAll(complete)).toMatchObject([{ turns: 2, waitingFor: [] }]);
  expect((await read(conversationId)).turns).toMatchObject([
    { body: 'turn 1', attachments: [] },
    { body: '', attachments: [{ name: 'invoice.png' }] },
    { body: 'turn 3', attachments: [] },
  ]);
  expect(await importAll(given)).toMatchObject([{ turns: 0, waitingFor: [] }]);
  const foreign = conversation({ turns: [turn('1', 'visitor', 0, { attachmentIds: [uploaded.id] })] });
  const refused = await as('POST', '/conversation-imports', { source: 'chatwoot', conversations: [foreign] });
  expect(refused.status).toBe(409);
  expect((await as('GET', `/conversations?distinctId=${foreign.distinctId}`)).body.conversations).toEqual([]);
});

test('a conversation past the retention is left out, and a rehearsal stores nothing', async () => {
  const old = conversation({
    createdAt: daysAgo(DAYS + 9),
    turns: [turn('1', 'visitor', 0, { createdAt: daysAgo(DAYS + 1) })],
  });
  const given = conversation();
  const rehearsed = await as('POST', '/conversation-imports', {
    ...{ source: 'chatwoot', dryRun: true },
    conversations: [old, given],
  });
  expect(rehearsed.body.conversations).toMatchObject([
    { externalId: old.externalId, outcome: 'expired', conversationId: null, turns: 0 },
    { externalId: given.externalId, outcome: 'new', turns: 2 },
  ]);
  for (const { distinctId } of [old, given])
    expect((await as('GET', `/conversations?distinctId=${distinctId}`)).body.conversations).toEqual([]);
  expect(await importAll(old, given)).toEqual(rehearsed.body.conversations);
});

test('a conversation takes as many turns and notes as it holds', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => turn(`t${index}`, 'visitor', index));
  const given = conversation({ turns: many });
  expect(await importAll(given)).toMatchObject([{ turns: 2_000, full: 0 }]);
  const more = { ...given, turns: [turn('more', 'visitor', 1), turn('most', 'visitor', 1)] };
  expect(await importAll(more)).toMatchObject([{ turns: 0, full: 2 }]);
});

test('reports leave imported conversations out, and count from the import when one is resolved', async () => {
  const [{ conversationId }] = await importAll(
    conversation({ createdAt: daysAgo(30), turns: [turn('1', 'visitor', 0, { createdAt: daysAgo(30) })] }),
  );
  const report = async (from: string) => {
    const range = `from=${from.slice(0, 10)}&to=${daysAgo(0).slice(0, 10)}`;
    const { volume, times } = (await as('GET', `/conversation-report?${range}`)).body;
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    const totals = [
      ...volume.series.map(({ name, values }: { name: string; values: number[] }) => [name, sum(values)]),
      ...times.series.map(({ name, total }: { name: string; total: number | null }) => [name, total]),
    ];
    return Object.fromEntries(totals);
  };
  const before = await report(daysAgo(31));
  expect(before).toMatchObject({ Opened: 0, 'First reply': null });
  await as('POST', `/conversations/${conversationId}/turns`, { body: 'A late reply.' });
  await as('POST', '/conversation-changes', {
    conversationIds: [conversationId],
    change: { status: 'resolved' },
  });
  const after = await report(daysAgo(1));
  expect(after).toMatchObject({ Opened: 0, 'First reply': null, Resolved: Number(before['Resolved']) + 1 });
  expect(after['Resolution']).toBeLessThan(60);
});

test('searches find imported turns, and a text with markup stays a text', async () => {
  const body = '<img src=x onerror=alert(1)> where is my <b>zeppelin</b>?';
  const [{ conversationId }] = await importAll(
    conversation({ turns: [turn('1', 'visitor', 0, { body })], subject: 'Dirigible' }),
  );
  for (const text of ['zeppelin', 'dirigible']) {
    const { matches } = (await as('GET', `/conversation-search?text=${text}`)).body;
    expect(matches).toMatchObject([{ conversation: { id: conversationId } }]);
  }
  expect((await read(conversationId)).turns[0].body).toBe(body);
});

test('only editors import, and invalid conversations are refused with their path', async () => {
  await messenger.directory.put('member', testMember(project.companyId, 'alan', { role: 'support' }));
  const alan = await messenger.mint({ sub: 'alan' });
  const body = { source: 'chatwoot', conversations: [conversation()] };
  expect((await as('POST', '/conversation-imports', body, alan)).status).toBe(403);
  const invalid = conversation({ turns: [turn('1', 'visitor', 0, { body: ' ' })] });
  const { status, body: answer } = await as('POST', '/conversation-imports', {
    source: 'chatwoot',
    conversations: [invalid],
  });
  expect([status, answer.error.message]).toEqual([
    400,
    expect.stringContaining('conversations[0].turns[0].body: empty without an attachment'),
  ]);
});
