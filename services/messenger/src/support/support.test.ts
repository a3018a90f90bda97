import { testMember } from '@switchboard/directory/testing';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { png } from '../testing/files.ts';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { openStream } from '../testing/stream.ts';
import { type Visitor, visitorOf } from '../testing/visitor.ts';

let messenger: TestMessenger;
let project: TestProject;
let visitor: Visitor;
let ada: string;

beforeAll(async () => {
  messenger = await startMessenger({ env: { RATE_LIMITS_MULTIPLIER: '1000' } });
  project = await messenger.createProject();
  await join(project, 'ada', 'Ada Lovelace');
  await join(project, 'grace', 'Grace Hopper');
  visitor = visitorOf(messenger, project);
  ada = await messenger.mint({ sub: 'ada' });
});
afterAll(() => messenger.stop());

async function join({ companyId }: TestProject, sub: string, name: string): Promise<void> {
  await messenger.directory.put('member', testMember(companyId, sub, { name, role: 'support' }));
}

function as(token: string, of: TestProject = project) {
  return (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    messenger.call(method, `/v1/projects/${of.id}${path}`, { token, body, headers });
}

const change = async (ids: string[], changed: object, token = ada, of = project) => {
  const answer = await as(token, of)('POST', '/conversation-changes', {
    conversationIds: ids,
    change: changed,
  });
  return answer;
};

async function configure(of: TestProject, settings: object = {}) {
  const asMember = as(ada, of);
  const { version } = (await asMember('GET', '/support-settings')).body;
  const answer = await asMember('PUT', '/support-settings', {
    version,
    teams: [],
    labels: [],
    savedReplies: [],
    views: [],
    keepAssigneeDays: null,
    ...settings,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

async function newProject(): Promise<TestProject> {
  const created = await messenger.createProject();
  await join(created, 'ada', 'Ada Lovelace');
  return created;
}

const idsOf = (body: { conversations: { id: string }[] }) => body.conversations.map(({ id }) => id);

describe('the settings of support', () => {
  test('get ids for new entries, keep them, and refuse a stale version', async () => {
    const own = await newProject();
    const first = await configure(own, {
      labels: [{ name: 'Refund', color: 'orange' }],
      teams: [{ name: 'Billing' }],
      savedReplies: [{ name: 'Hello', body: 'Hello {{visitor.id}}' }],
      views: [{ name: 'Urgent', filter: { priority: 'urgent' } }],
    });
    expect(first.version).toBe(1);
    const [label] = first.labels;
    const second = await configure(own, {
      labels: [
        { ...label, name: 'Refunds' },
        { name: 'Bug', color: 'red' },
      ],
    });
    expect(second.labels[0]).toEqual({ id: label.id, name: 'Refunds', color: 'orange' });
    const stale = await as(ada, own)('PUT', '/support-settings', { ...second, version: 1 });
    expect([stale.status, stale.body.error.message]).toEqual([
      409,
      'version: 2 is stored. Read the settings again.',
    ]);
  });

  test('take ids that the caller chooses, each once and up to 64 characters', async () => {
    const own = await newProject();
    const refund = { id: 'refund', name: 'Refund', color: 'orange' };
    const urgent = { id: 'urgent', name: 'Urgent refunds', filter: { labelId: 'refund' } };
    const stored = await configure(own, { labels: [refund], views: [urgent] });
    expect(stored).toMatchObject({ labels: [refund], views: [urgent] });
    for (const [labels, problem] of [
      [[refund, refund], 'labels[1].id: used twice'],
      [[{ ...refund, id: 'x'.repeat(65) }], 'labels[0].id: longer than 64 characters'],
    ] as const) {
      const refused = await as(ada, own)('PUT', '/support-settings', { ...stored, labels });
      expect([refused.status, refused.body.error.message]).toEqual([400, problem]);
    }
  });

  test('refuse the 101st label, the 51st view and the 201st saved reply', async () => {
    const many = <T>(count: number, entry: T) => Array.from({ length: count }, () => entry);
    const put = (settings: object) =>
      as(ada)('PUT', '/support-settings', {
        version: 0,
        teams: [],
        labels: [],
        savedReplies: [],
        views: [],
        keepAssigneeDays: null,
        ...settings,
      });
    for (const settings of [
      { labels: many(101, { name: 'Bug', color: 'red' }) },
      { views: many(51, { name: 'All', filter: {} }) },
      { savedReplies: many(201, { name: 'Hello', body: 'Hello' }) },
      { savedReplies: [{ name: 'Long', body: 'x'.repeat(5_001) }] },
    ])
      expect((await put(settings)).status).toBe(400);
  });
});

describe('a change of conversations', () => {
  test('assigns, labels, prioritises and snoozes several at once, and is in their history', async () => {
    const own = await newProject();
    const there = visitorOf(messenger, own);
    const { labels, teams } = await configure(own, {
      labels: [{ name: 'Refund', color: 'orange' }],
      teams: [{ name: 'Billing' }],
    });
    const [one, two] = [await there.open(), await there.open()];
    await there.send(one, 'Hello');
    const wanted = {
      assigneeId: 'ada',
      teamId: teams[0].id,
      priority: 'high',
      addLabelIds: [labels[0].id],
      snooze: { until: null },
    };
    const changed = await change([one.id, two.id, 'cnv_unknown'], wanted, ada, own);
    expect(changed.status).toBe(200);
    expect(idsOf(changed.body).sort()).toEqual([one.id, two.id].sort());
    expect(changed.body.conversations[0]).toMatchObject({
      assigneeId: 'ada',
      teamId: teams[0].id,
      priority: 'high',
      labelIds: [labels[0].id],
      snoozed: true,
      snoozedUntil: null,
    });
    const read = (await as(ada, own)('GET', `/conversations/${one.id}`)).body;
    expect(read.history).toMatchObject([{ authorId: 'ada', change: wanted }]);

    await there.send(one, 'Are you there?');
    const after = (await as(ada, own)('GET', `/conversations/${one.id}`)).body;
    expect(after).toMatchObject({ snoozed: false, assigneeId: 'ada', status: 'open' });
    await change([one.id], { removeLabelIds: [labels[0].id], assigneeId: null }, ada, own);
    const removed = (await as(ada, own)('GET', `/conversations/${one.id}`)).body;
    expect(removed).toMatchObject({ labelIds: [], assigneeId: null });
  });

  test('refuses strangers, unknown labels and teams, an empty change, and more than 100 conversations', async () => {
    const conversation = await visitor.open();
    const refusals = [
      [{ assigneeId: 'stranger' }, 'assigneeId: stranger is not a member of the company'],
      [{ teamId: 'team_x' }, 'teamId: team_x is not in the settings of support'],
      [{ addLabelIds: ['lbl_x'] }, 'addLabelIds: lbl_x is not in the settings of support'],
      [{ status: 'resolved', snooze: { until: null } }, 'snooze: a resolved conversation cannot be snoozed'],
      [{}, 'change: empty; name the properties to change'],
    ] as const;
    for (const [wanted, message] of refusals) {
      const { status, body } = await change([conversation.id], wanted);
      expect([status, body.error.message]).toEqual([400, message]);
    }
    const tooMany = Array.from({ length: 101 }, (_, index) => `cnv_${index}`);
    expect((await change(tooMany, { priority: 'low' })).status).toBe(400);
  });

  test('refuses the 21st label of a conversation', async () => {
    const own = await newProject();
    const { labels } = await configure(own, {
      labels: Array.from({ length: 21 }, (_, index) => ({ name: `Label ${index}`, color: 'blue' })),
    });
    const ids = labels.map(({ id }: { id: string }) => id);
    const conversation = await visitorOf(messenger, own).open();
    expect((await change([conversation.id], { addLabelIds: ids.slice(0, 20) }, ada, own)).status).toBe(200);
    const { status, body } = await change([conversation.id], { addLabelIds: ids.slice(20) }, ada, own);
    expect([status, body.error.message]).toEqual([409, 'addLabelIds: a conversation has at most 20 labels.']);
  });

  test('ends a snooze when its time has come', async () => {
    const own = await newProject();
    const conversation = await visitorOf(messenger, own).open();
    const until = new Date(Date.now() + 1_000).toISOString();
    await change([conversation.id], { snooze: { until } }, ada, own);
    await eventually(async () => {
      const { body } = await as(ada, own)('GET', `/conversations/${conversation.id}`);
      expect(body.snoozed).toBe(false);
      expect(body.history).toMatchObject([
        { authorId: 'ada', change: { snooze: { until } } },
        { authorId: null, change: { snooze: null } },
      ]);
    });
  });

  test('is reopened by the visitor, and keeps its assignee for the days of the project', async () => {
    const own = await newProject();
    const there = visitorOf(messenger, own);
    await configure(own, { keepAssigneeDays: 3 });
    const [soon, late] = [await there.open(), await there.open()];
    await change([soon.id, late.id], { assigneeId: 'ada', status: 'resolved' }, ada, own);
    await there.send(soon, 'One more thing');
    await messenger.database.sql`
      update conversations set resolved_at = now() - interval '4 days' where id = ${late.id}`;
    await there.send(late, 'Hello again');
    const [kept, cleared] = await Promise.all(
      [soon, late].map(async ({ id }) => (await as(ada, own)('GET', `/conversations/${id}`)).body),
    );
    expect(kept).toMatchObject({ status: 'open', assigneeId: 'ada', resolvedAt: null });
    expect(cleared).toMatchObject({ status: 'open', assigneeId: null });
    expect(cleared.history.at(-1)).toMatchObject({ authorId: null, change: { status: 'open' } });
  });

  test('is audited with the conversation as its object', async () => {
    const conversation = await visitor.open();
    const before = await messenger.auditEntries();
    await change([conversation.id], { priority: 'urgent' });
    expect(await messenger.auditEntries()).toBe(before + 1n);
  });

  test('of another project changes nothing', async () => {
    const own = await newProject();
    const conversation = await visitor.open();
    expect((await change([conversation.id], { priority: 'low' }, ada, own)).body).toEqual({
      conversations: [],
    });
    expect((await as(ada)('GET', `/conversations/${conversation.id}`)).body.priority).toBe('normal');
  });
});

describe('the list and its counts', () => {
  test('select by assignee, team, label, priority, snooze and mention', async () => {
    const own = await newProject();
    const there = visitorOf(messenger, own);
    const asAda = as(ada, own);
    const { labels, teams, views } = await configure(own, {
      labels: [{ name: 'Refund', color: 'orange' }],
      teams: [{ name: 'Billing' }],
      views: [
        { name: 'Urgent', filter: { priority: 'urgent' } },
        { name: 'Mine', filter: { assigned: 'me', status: 'open' } },
        { name: 'Done', filter: { status: 'resolved' } },
      ],
    });
    const opened = [];
    for (let count = 0; count < 6; count++) opened.push((await there.open()).id);
    const [mine = '', team = '', labelled = '', urgent = '', snoozed = '', mentioned = ''] = opened;
    await change([mine], { assigneeId: 'ada' }, ada, own);
    await change([team], { teamId: teams[0].id }, ada, own);
    await change([labelled], { addLabelIds: [labels[0].id] }, ada, own);
    await change([urgent], { priority: 'urgent' }, ada, own);
    await change([snoozed], { snooze: { until: null } }, ada, own);
    const note = { body: 'Look', mentions: ['ada'] };
    expect((await asAda('POST', `/conversations/${mentioned}/notes`, note)).status).toBe(201);
    const listed = async (query: string) => idsOf((await asAda('GET', `/conversations?${query}`)).body);
    expect(await listed('assigned=me')).toEqual([mine]);
    expect(await listed('assigneeId=ada')).toEqual([mine]);
    expect((await listed('assigned=none')).includes(mine)).toBe(false);
    expect(await listed(`teamId=${teams[0].id}`)).toEqual([team]);
    expect(await listed(`labelId=${labels[0].id}`)).toEqual([labelled]);
    expect(await listed('priority=urgent')).toEqual([urgent]);
    expect(await listed('snoozed=true')).toEqual([snoozed]);
    expect((await listed('snoozed=false')).length).toBe(5);
    expect(await listed('mentioned=me')).toEqual([mentioned]);

    const counts = async () => (await asAda('GET', '/conversation-counts')).body;
    const expected = {
      open: 5,
      pending: 0,
      snoozed: 1,
      mine: 1,
      unassigned: 4,
      mentioned: 1,
      views: [
        { id: views[0].id, count: 1 },
        { id: views[1].id, count: 1 },
        { id: views[2].id, count: null },
      ],
    };
    expect(await counts()).toEqual(expected);
    // The counts are the same after the changes were added to them.
    await eventually(async () => {
      const [row] = await messenger.database.sql`
        select count(*)::int as n from conversation_count_changes where project_id = ${own.id}`;
      expect(row?.['n']).toBe(0);
    });
    expect(await counts()).toEqual(expected);
    await change([urgent, mine], { status: 'resolved' }, ada, own);
    expect(await counts()).toMatchObject({ open: 3, mine: 0, unassigned: 3 });
  });

  test('show the last turn and what the member has not read', async () => {
    const own = await newProject();
    const there = visitorOf(messenger, own);
    const conversation = await there.open();
    await there.send(conversation, 'x'.repeat(300));
    const asAda = as(ada, own);
    const first = async () => (await asAda('GET', '/conversations')).body.conversations[0];
    expect(await first()).toMatchObject({
      lastTurn: { authorKind: 'visitor', body: 'x'.repeat(200) },
      unread: true,
    });
    await asAda('GET', `/conversations/${conversation.id}`);
    expect(await first()).toMatchObject({ unread: false });
    await there.send(conversation, 'Hello?');
    expect(await first()).toMatchObject({ unread: true, lastTurn: { body: 'Hello?' } });
    await asAda('POST', `/conversations/${conversation.id}/turns`, { body: 'Hi' });
    expect(await first()).toMatchObject({ unread: false, lastTurn: { authorKind: 'teammate', body: 'Hi' } });
  });
});

describe('a private note', () => {
  test('is returned again for the same idempotency key, and refused for strangers', async () => {
    const conversation = await visitor.open();
    const path = `/conversations/${conversation.id}/notes`;
    const key = { 'Idempotency-Key': 'once' };
    const first = await as(ada)('POST', path, { body: 'Ask billing', mentions: ['grace'] }, key);
    expect(first.body.note).toMatchObject({ authorId: 'ada', body: 'Ask billing', mentions: ['grace'] });
    expect((await as(ada)('POST', path, { body: 'Ask billing' }, key)).body).toEqual(first.body);
    const { notes } = (await as(ada)('GET', `/conversations/${conversation.id}`)).body;
    expect(notes).toEqual([first.body.note]);
    const stranger = await as(ada)('POST', path, { body: 'Hi', mentions: ['stranger'] });
    expect([stranger.status, stranger.body.error.message]).toEqual([
      400,
      'mentions: stranger is not a member of the company',
    ]);
    expect((await as(ada)('POST', path, { body: 'x'.repeat(5_001) })).status).toBe(400);
    expect((await as(ada)('POST', '/conversations/cnv_unknown/notes', { body: 'Hi' })).status).toBe(404);
  });

  test('is refused as the 201st of a conversation', async () => {
    const conversation = await visitor.open();
    await messenger.database.sql`
      insert into conversation_notes (conversation_id, id, body, mentions, created_at)
      select ${conversation.id}, 'note_' || n, 'Note', '{}', now() from generate_series(1, 200) as n`;
    const { status, body } = await as(ada)('POST', `/conversations/${conversation.id}/notes`, {
      body: 'One',
    });
    expect([status, body.error.message]).toEqual([
      409,
      'The conversation has 200 notes, which is the limit.',
    ]);
  });
});

describe('a file of a teammate', () => {
  test('reaches the visitor with the reply, even where visitors may send none', async () => {
    const own = await newProject();
    await messenger.setEntitlements(own, { visitorAttachments: false });
    const there = visitorOf(messenger, own);
    const conversation = await there.open();
    const path = `/v1/projects/${own.id}/conversations/${conversation.id}`;
    const send = (raw: Buffer) =>
      messenger.call('POST', `${path}/attachments?name=invoice.png`, { token: ada, raw });
    const uploaded = await send(png());
    expect([uploaded.status, uploaded.body.name]).toEqual([201, 'invoice.png']);
    const reply = { body: '', attachmentIds: [uploaded.body.id] };
    const answered = await as(ada, own)('POST', `/conversations/${conversation.id}/turns`, reply);
    expect([answered.status, answered.body.turn.attachments.length]).toEqual([201, 1]);
    expect((await there.download(conversation, uploaded.body.id)).bytes.equals(png())).toBe(true);
    const read = await messenger.call('GET', `${path}/attachments/${uploaded.body.id}`, { token: ada });
    expect([read.status, read.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(read.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    const again = await as(ada, own)('POST', `/conversations/${conversation.id}/turns`, reply);
    expect(again.status).toBe(409);
    expect((await send(Buffer.from('<html>'))).status).toBe(415);
    expect((await send(Buffer.alloc(500_001))).status).toBe(413);
  });

  test('of another project is not found', async () => {
    const own = await newProject();
    const conversation = await visitor.open();
    const path = `/conversations/${conversation.id}/attachments`;
    expect((await as(ada, own)('GET', `${path}/att_x`)).status).toBe(404);
    const stolen = `/v1/projects/${own.id}${path}?name=a.png`;
    expect((await messenger.call('POST', stolen, { token: ada, raw: png() })).status).toBe(404);
  });
});

describe('a search', () => {
  const search = async (text: string, of = project, token = ada) =>
    (await as(token, of)('GET', `/conversation-search?text=${encodeURIComponent(text)}`)).body;

  test('finds words of turns and subjects in the language of the project, newest first', async () => {
    const own = await messenger.createProject({ defaultLanguage: 'de' });
    await join(own, 'ada', 'Ada Lovelace');
    const there = visitorOf(messenger, own);
    const conversation = await there.open({ subject: 'Rechnung vom März' });
    await there.send(conversation, 'Ich habe zwei Häuser gekauft.');
    await there.send(conversation, 'Das Haus ist blau.');
    const excerpts = async (text: string) =>
      (await search(text, own)).matches.map(({ excerpt }: { excerpt: string }) => excerpt);
    expect(await excerpts('haus')).toEqual(['Das Haus ist blau.', 'Ich habe zwei Häuser gekauft.']);
    expect(await excerpts('"zwei häuser"')).toEqual(['Ich habe zwei Häuser gekauft.']);
    expect(await excerpts('rechnung')).toEqual(['Ich habe zwei Häuser gekauft.']);
    expect(await excerpts('haus -blau')).toEqual(['Ich habe zwei Häuser gekauft.']);
    expect(await excerpts('!!!')).toEqual([]);
    expect(await excerpts("o'brien \\ ' & | !")).toEqual([]);
  });

  test('finds nothing of another project, whatever is written', async () => {
    const [own, other] = [await newProject(), await newProject()];
    const there = visitorOf(messenger, other);
    const conversation = await there.open();
    await there.send(conversation, `secret \u0001${own.id} ${own.id}`);
    expect(await search('secret', own)).toEqual({ matches: [] });
    expect((await search('secret', other)).matches).toHaveLength(1);
  });

  test('finds turns of earlier weeks', async () => {
    const own = await newProject();
    const there = visitorOf(messenger, own);
    for (const days of [0, 5, 20, 80, 400]) {
      messenger.time.shift = -days * 86_400_000;
      const conversation = await there.open();
      await there.send(conversation, `ostrich ${days}`);
    }
    messenger.time.shift = 0;
    const { matches } = await search('ostrich', own);
    expect(matches.map(({ excerpt }: { excerpt: string }) => excerpt)).toEqual(
      [0, 5, 20, 80, 400].map((days) => `ostrich ${days}`),
    );
  });

  test('runs one at a time in a project, and is refused past 24 that run or wait', async () => {
    const own = await newProject();
    let searches: Promise<{ status: number }[]> = Promise.resolve([]);
    const statuses: number[] = [];
    const { sql } = messenger.database;
    await sql.begin(async (tx) => {
      await tx`lock table turns in access exclusive mode`;
      const asMember = as(ada, own);
      searches = Promise.all(
        Array.from({ length: 30 }, async () => {
          const answer = await asMember('GET', '/conversation-search?text=order');
          statuses.push(answer.status);
          return answer;
        }),
      );
      await eventually(() => expect(statuses).toEqual(Array(6).fill(429)));
      const waiting = await sql`
        select from pg_stat_activity where wait_event_type = 'Lock' and query like '%websearch%'`;
      expect(waiting).toHaveLength(1);
    });
    expect((await searches)[0]?.status).toBe(200);
  });

  test('scans few entries that are not yet in an index', async () => {
    const indexes = await messenger.database.sql<{ reloptions: string[] | null }[]>`
      select reloptions from pg_index join pg_class on pg_class.oid = indexrelid
      join pg_am on pg_am.oid = relam where amname = 'gin' and relnamespace = 'public'::regnamespace`;
    expect(indexes.length).toBeGreaterThan(1);
    for (const { reloptions } of indexes) expect(reloptions).toEqual(['gin_pending_list_limit=128']);
  });
});

describe('read positions', () => {
  const readAtOf = ({ body }: { body: { visitorReadAt: string; teammateReadAt: string } }) => [
    body.visitorReadAt,
    body.teammateReadAt,
  ];

  test('advance to the last turn that each side has seen, and are the same for both', async () => {
    const conversation = await visitor.open();
    const asAda = as(ada);
    const path = `/conversations/${conversation.id}`;
    const socket = await openSocket(project, conversation);
    const first = (await visitor.send(conversation, 'Hello')).body.turn.createdAt;
    expect(readAtOf(await visitor.read(conversation))).toEqual([null, null]);
    await asAda('GET', path);
    expect(readAtOf(await visitor.read(conversation))).toEqual([null, first]);

    const reply = (await asAda('POST', `${path}/turns`, { body: 'Hi' })).body.turn.createdAt;
    const last = (await asAda('POST', `${path}/turns`, { body: 'Still there?' })).body.turn.createdAt;
    socket.send({ type: 'read', conversationId: conversation.id, at: reply });
    await eventually(async () => expect(readAtOf(await asAda('GET', path))).toEqual([reply, last]));
    expect(readAtOf(await visitor.read(conversation))).toEqual([reply, last]);
    const told = socket.messages.filter(({ type }) => type === 'read');
    expect(told.map(({ by, at }) => [by, at])).toEqual([
      ['teammate', first],
      ['teammate', reply],
      ['teammate', last],
      ['visitor', reply],
    ]);
    socket.close();
  });

  test('never go back, nor beyond the last turn', async () => {
    const conversation = await visitor.open();
    const last = (await visitor.send(conversation, 'Hello')).body.turn.createdAt;
    const path = `/conversations/${conversation.id}`;
    for (const at of ['2999-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z']) {
      const socket = await openSocket(project, conversation);
      socket.send({ type: 'read', conversationId: conversation.id, at });
      socket.send({ type: 'subscribe', conversationId: conversation.id });
      await eventually(() => expect(socket.messages.map(({ type }) => type)).toContain('refused'));
      expect((await as(ada)('GET', path)).body.visitorReadAt).toBe(last);
      socket.close();
    }
  });

  test('of a poll change its version', async () => {
    const conversation = await visitor.open();
    await visitor.send(conversation, 'Hello');
    const { headers } = await visitor.read(conversation);
    const again = () => visitor.read(conversation, { 'If-None-Match': headers.get('etag') ?? '' });
    expect((await again()).status).toBe(304);
    await as(ada)('GET', `/conversations/${conversation.id}`);
    expect((await again()).status).toBe(200);
  });
});

describe('the stream of agents', () => {
  test('sends turns, notes, changes, presence and signals of visitors', async () => {
    const own = await newProject();
    const there = visitorOf(messenger, own);
    const conversation = await there.open();
    const stream = await openStream(messenger.url, own, ada);
    const socket = await openSocket(own, conversation);
    const ofTeam = { name: 'Ada of Support' };
    expect((await messenger.manage('PUT', `/projects/${own.id}/team/ada`, ofTeam)).status).toBe(200);
    await there.send(conversation, 'Hello');
    await as(ada, own)('POST', `/conversations/${conversation.id}/notes`, { body: 'A note' });
    await as(ada, own)('POST', `/conversations/${conversation.id}/presence`, { state: 'typing' });
    await change([conversation.id], { priority: 'high' }, ada, own);
    for (let count = 0; count < 50; count++) socket.send({ type: 'typing', conversationId: conversation.id });
    socket.send({ type: 'read', conversationId: conversation.id });
    socket.send({ type: 'typing', conversationId: 'cnv_other' });
    await eventually(() => {
      const kinds = stream.changes.map(({ kind, state, sub }) => [kind, state, sub]);
      expect(kinds).toEqual(
        expect.arrayContaining([
          ['turn', undefined, undefined],
          ['note', undefined, undefined],
          ['presence', 'typing', 'ada'],
          ['changed', undefined, undefined],
          ['presence', 'typing', null],
          ['presence', 'read', null],
        ]),
      );
    });
    expect(stream.changes.every(({ conversationId }) => conversationId === conversation.id)).toBe(true);
    const signals = stream.changes.filter(({ state, sub }) => state === 'typing' && sub === null);
    expect(signals.length).toBeLessThan(10);
    const { body: seen } = await as(ada, own)('GET', `/conversations/${conversation.id}`);
    expect(seen.visitorReadAt).toBe(seen.lastTurnAt);
    await eventually(() =>
      expect(socket.messages.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['turn', 'typing', 'read']),
      ),
    );
    const typing = socket.messages.filter(({ type }) => type === 'typing');
    const conversationId = conversation.id;
    expect(typing).toEqual([
      { type: 'typing', conversationId, authorName: 'Ada of Support', authorAvatarUrl: null },
    ]);
    socket.close();
    stream.close();
  });

  test('is refused to a viewer, and so are the settings and the counts', async () => {
    await messenger.directory.put('member', testMember(project.companyId, 'vera', { role: 'viewer' }));
    const asVera = as(await messenger.mint({ sub: 'vera' }));
    for (const path of [
      '/live-conversations',
      '/support-settings',
      '/conversation-counts',
      '/conversation-search?text=a',
    ])
      expect((await asVera('GET', path)).status).toBe(403);
  });
});

/** Planted in everything that only staff may see. */
const MARKER = 'PLANTED-SECRET';

test('no answer and no socket message of a visitor has a note, a label, a team, an assignee or a saved reply', async () => {
  const own = await newProject();
  await join(own, MARKER, MARKER);
  const { secret } = (await messenger.manage('POST', `/projects/${own.id}/identity-secrets`)).body;
  const userHash = await hashOf(secret, 'user-1');
  const there = visitorOf(messenger, own);
  const { labels, teams } = await configure(own, {
    labels: [{ name: MARKER, color: 'red' }],
    teams: [{ name: MARKER }],
    savedReplies: [{ name: MARKER, body: MARKER }],
    views: [{ name: MARKER, filter: { assigneeId: MARKER } }],
  });
  const conversation = await there.open({ userId: 'user-1', userHash });
  const socket = await openSocket(own, conversation);
  await there.send(conversation, 'Hello');
  const asAda = as(ada, own);
  const planted = {
    assigneeId: MARKER,
    teamId: teams[0].id,
    addLabelIds: [labels[0].id],
    priority: 'urgent',
    snooze: { until: null },
  };
  expect((await change([conversation.id], planted, ada, own)).status).toBe(200);
  const note = { body: MARKER, mentions: [MARKER] };
  expect((await asAda('POST', `/conversations/${conversation.id}/notes`, note)).status).toBe(201);
  const asMarked = as(await messenger.mint({ sub: MARKER }), own);
  for (const state of ['viewing', 'typing', 'gone'])
    await asMarked('POST', `/conversations/${conversation.id}/presence`, { state });
  await asMarked('GET', `/conversations/${conversation.id}`);
  await change([conversation.id], { status: 'resolved' }, ada, own);
  await asAda('POST', `/conversations/${conversation.id}/turns`, { body: 'The last reply' });

  const answers = [
    await there.read(conversation),
    await there.send(conversation, 'Thanks'),
    await there.to('POST', '/v1/conversations/mine', { body: { userId: 'user-1', userHash } }),
    await there.to('GET', `/v1/conversations/${conversation.id}/satisfaction`, {
      conversationToken: conversation.token,
    }),
    await there.to('GET', '/v1/messenger/config'),
    await there.to('GET', '/v1/messages?distinct_id=visitor'),
  ];
  await eventually(() => {
    const bodies = socket.messages.map(({ turn }) => turn?.body);
    expect(bodies).toEqual(expect.arrayContaining(['The last reply', 'Thanks']));
  });
  const ids = [labels[0].id, teams[0].id];
  for (const seen of [...answers.map(({ body }) => body), ...socket.messages]) {
    const text = JSON.stringify(seen);
    for (const hidden of [
      MARKER,
      ...ids,
      'urgent',
      'snooze',
      'assignee',
      'label',
      'note',
      'mention',
      'waitingSince',
      'ratings',
    ])
      expect(text).not.toContain(hidden);
  }
  expect(answers.map(({ status }) => status)).toEqual([200, 201, 200, 200, 200, 200]);
  // The markers are where staff look.
  const staff = JSON.stringify((await asAda('GET', `/conversations/${conversation.id}`)).body);
  expect(staff).toContain(MARKER);
  socket.close();
});

async function hashOf(secret: string, userId: string): Promise<string> {
  const { createHmac } = await import('node:crypto');
  return createHmac('sha256', secret).update(userId).digest('hex');
}

interface SocketMessage {
  type: string;
  by?: string;
  at?: string;
  turn?: { body: string };
}

async function openSocket(of: TestProject, { id, token }: { id: string; token: string }) {
  const socket = new WebSocket(
    `${messenger.url.replace('http', 'ws')}/v1/messenger/socket?api_key=${of.key}&distinct_id=visitor`,
  );
  const messages: SocketMessage[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const send = (message: object) => socket.send(JSON.stringify(message));
  send({ type: 'subscribe', conversationId: id, token });
  await eventually(() => expect(messages).toContainEqual({ type: 'subscribed', conversationId: id }));
  return { messages, send, close: () => socket.close() };
}
