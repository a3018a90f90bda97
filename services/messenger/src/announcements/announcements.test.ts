import { CONVERSATIONS_TOPIC, type ConversationRecord } from '@switchboard/contracts';
import { tryLock } from '@switchboard/database';
import { testMember } from '@switchboard/directory/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createErasureStore } from '../erasure/store.ts';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { type Visitor, visitorOf } from '../testing/visitor.ts';

let messenger: TestMessenger;
let project: TestProject;
let visitor: Visitor;
let asAgent: (method: string, path: string, body?: unknown) => ReturnType<TestMessenger['call']>;
/** The values of the records on the topic, as text. */
const published: string[] = [];

beforeAll(async () => {
  messenger = await startMessenger({ env: { RATE_LIMITS_MULTIPLIER: '1000' } });
  project = await messenger.createProject();
  await messenger.directory.put(
    'member',
    testMember(project.companyId, 'ada', { name: 'Ada Lovelace', role: 'support' }),
  );
  visitor = visitorOf(messenger, project);
  const token = await messenger.mint({ sub: 'ada' });
  asAgent = (method, path, body) =>
    messenger.call(method, `/v1/projects/${project.id}${path}`, { token, body });
  await eventually(() => messenger.log.endOffsets(CONVERSATIONS_TOPIC));
  const reading = await messenger.log.consume({
    group: 'test',
    topics: [CONVERSATIONS_TOPIC],
    async handle({ records }) {
      for (const { value } of records) published.push(String(value));
    },
  });
  afterAll(() => reading.stop());
});
afterAll(() => messenger.stop());

const recordsOf = (conversationId: string): ConversationRecord[] =>
  published
    .map((value): ConversationRecord => JSON.parse(value))
    .filter((record) => record.conversationId === conversationId);

async function resolve(id: string, status = 'resolved'): Promise<void> {
  const answer = await asAgent('PUT', `/conversations/${id}/status`, { status });
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

/** Runs work while no instance can publish. */
async function whileUnpublished(work: () => Promise<void>): Promise<void> {
  await messenger.database.drizzle.transaction(async (tx) => {
    await eventually(async () => expect(await tryLock(tx, `publish ${CONVERSATIONS_TOPIC}`)).toBe(true));
    await work();
  });
}

it('publishes that a conversation is opened, its turns and each resolution, in order and once for each', async () => {
  const conversation = await visitor.open({ userId: 'user-1', subject: 'Invoice for March' });
  const { id } = conversation;
  const shared = {
    ...{ projectId: project.id, conversationId: id, at: expect.stringMatching(/^20.*Z$/) },
    ...{ distinctId: 'visitor', userId: 'user-1', userVerified: false, subject: 'Invoice for March' },
  };
  for (const _ of [1, 2])
    await visitor.send(conversation, 'I was charged twice.', { 'Idempotency-Key': 'once' });
  const sent = await asAgent('POST', `/conversations/${id}/turns`, { body: 'Here is your refund.' });
  await resolve(id);
  await resolve(id);
  await resolve(id, 'open');
  await resolve(id);
  await visitor.send(conversation, 'Thank you.');
  await eventually(() => expect(recordsOf(id)).toHaveLength(6));
  const turn = { type: 'conversation.turn', turnId: expect.stringMatching(/^trn_/), ...shared };
  expect(recordsOf(id)).toEqual([
    { type: 'conversation.opened', ...shared, status: 'open' },
    { ...turn, status: 'open', authorKind: 'visitor', text: 'I was charged twice.' },
    {
      ...turn,
      turnId: sent.body.turn.id,
      at: sent.body.turn.createdAt,
      status: 'pending',
      authorKind: 'teammate',
      text: 'Here is your refund.',
    },
    { type: 'conversation.resolved', ...shared, status: 'resolved' },
    { type: 'conversation.resolved', ...shared, status: 'resolved' },
    { ...turn, status: 'open', authorKind: 'visitor', text: 'Thank you.' },
  ]);
  await eventually(async () =>
    expect(await messenger.database.sql`select 1 from unpublished_conversations`).toHaveLength(0),
  );
});

it('publishes no note, label, team, priority or assignee', async () => {
  const conversation = await visitor.open();
  const { id } = conversation;
  const { version } = (await asAgent('GET', '/support-settings')).body;
  const { labels, teams } = (
    await asAgent('PUT', '/support-settings', {
      ...{ version, savedReplies: [], views: [], keepAssigneeDays: null },
      labels: [{ name: 'Private label', color: 'orange' }],
      teams: [{ name: 'Private team' }],
    })
  ).body;
  const note = await asAgent('POST', `/conversations/${id}/notes`, {
    body: 'A private note',
    mentions: ['ada'],
  });
  expect(note.status).toBe(201);
  const change = { addLabelIds: [labels[0].id], teamId: teams[0].id, assigneeId: 'ada', priority: 'urgent' };
  for (const one of [change, { ...change, status: 'resolved' }])
    expect(
      (await asAgent('POST', '/conversation-changes', { conversationIds: [id], change: one })).status,
    ).toBe(200);
  await visitor.send(conversation, 'Thank you.');
  await eventually(() => expect(recordsOf(id)).toHaveLength(3));
  expect(recordsOf(id).map(({ type }) => type)).toEqual([
    'conversation.opened',
    'conversation.resolved',
    'conversation.turn',
  ]);
  const fields = ['at', 'conversationId', 'distinctId', 'projectId', 'status', 'subject', 'type', 'userId'];
  const ofTurn = ['authorKind', 'text', 'turnId'];
  const known = new Set([...fields, 'userVerified', ...ofTurn]);
  for (const record of recordsOf(id))
    expect(Object.keys(record).filter((key) => !known.has(key))).toEqual([]);
  const all = published.join('\n');
  for (const one of ['rivate', 'urgent', '"ada"', labels[0].id, teams[0].id]) expect(all).not.toContain(one);
});

it('publishes after a failure, and nothing of a person who is erased before', async () => {
  const [erased, kept] = [await visitor.open({ distinctId: 'erased' }), await visitor.open()];
  await whileUnpublished(async () => {
    await visitor.send(erased, 'Words of the person');
    await visitor.send(kept, 'Words of another');
    const store = createErasureStore(messenger.database.drizzle);
    const person = { kind: 'person' as const, projectId: project.id, distinctIds: ['erased'], userId: null };
    await store.removeConversations(await store.findConversations(person, 10), []);
  });
  await eventually(() => expect(published.join('\n')).toContain('Words of another'));
  expect(published.join('\n')).not.toContain('Words of the person');
});
