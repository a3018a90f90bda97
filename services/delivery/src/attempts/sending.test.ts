import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { documented, eventually, type Received } from '@switchboard/testkit';
import postgres from 'postgres';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, expect, it } from 'vitest';
import { useDelivery } from '../testing/harness.ts';

const delivery = await useDelivery({ constants: { schedule: [0, 0, 0] } });
const { manage } = delivery;
const sql = postgres(delivery.databaseUrl, { max: 1 });
afterAll(() => sql.end());

const statesOf = async (path: string) =>
  (await manage('GET', `${path}/messages`)).body.messages.map(({ state }: { state: string }) => state);
const idsOf = (requests: readonly Received[]) => requests.map(({ json }) => json.data.eventId);

it('sends events that both libraries of Standard Webhooks verify', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  const { secret } = await delivery.createWebhook(id, receiver);
  const [eventId] = await delivery.publishEvents(id, [
    { properties: { total: 12.5, note: 'ünïcode' }, session_id: 's' },
  ]);
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  const [{ headers, body, json }] = receiver.requests as [Received];
  expect(new StandardWebhook(secret).verify(body, headers)).toEqual(json);
  const svix = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]),
  );
  expect(() => new SvixWebhook(secret).verify(body, svix)).not.toThrow();
  expect(() => new SvixWebhook(secret).verify(`${body} `, svix)).toThrow();
  const expected = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`)
    .digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  expect(headers['content-type']).toBe('application/json');
  expect(json).toEqual({
    type: 'event',
    timestamp: expect.stringMatching(/^20.*Z$/),
    data: expect.objectContaining({
      projectId: id,
      eventId,
      name: 'paid',
      distinctId: 'ada',
      sessionId: 's',
      properties: { total: 12.5, note: 'ünïcode' },
      context: null,
    }),
  });
});

it('sends what the documentation describes, to a receiver as in the documentation', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  const definition = JSON.parse(documented('docs/webhooks.md', 'json'));
  const { secret } = await delivery.createWebhook(id, receiver, { ...definition, url: receiver.url });
  await delivery.publishEvents(id, [{ event_name: 'order placed', properties: { total: 100 } }]);
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  const code = documented('docs/webhooks.md#requests', 'js').replace(
    "'standardwebhooks'",
    `'${import.meta.resolve('standardwebhooks')}'`,
  );
  const { receive } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const [{ headers, body }] = receiver.requests as [Received];
  expect(receive(secret, body, headers)).toBe(`event of ${id}`);
});

it('sends only events of a chosen name that match all its conditions', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  await delivery.createWebhook(id, receiver, {
    events: [
      {
        event: 'paid',
        where: [
          { attribute: 'total', op: 'gte', value: 100 },
          { attribute: 'context.os', op: 'eq', value: 'iOS' },
        ],
      },
      { event: 'left', where: [{ attribute: 'distinct_id', op: 'neq', value: 'bob' }] },
    ],
  });
  const context = { os: 'iOS' };
  const published = await delivery.publishEvents(id, [
    { properties: { total: 99 }, context },
    { properties: { total: 100 }, context },
    { properties: { total: 100 } },
    { event_name: 'left', distinct_id: 'bob' },
    { event_name: 'left' },
    { event_name: 'seen' },
  ]);
  await eventually(() => expect(receiver.requests).toHaveLength(2));
  expect(idsOf(receiver.requests).toSorted()).toEqual([published[1], published[4]].toSorted());
});

it('sends nothing from before the webhook, and an event that is read twice once', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  await delivery.publishEvents(id, [{}]);
  const { path } = await delivery.createWebhook(id, receiver);
  await delivery.publishEvents(id, [{ event_id: 'twice' }]);
  await delivery.publishEvents(id, [{ event_id: 'twice' }, { event_id: 'last' }]);
  await eventually(async () => expect(await statesOf(path)).toEqual(['delivered', 'delivered']));
  expect(idsOf(receiver.requests).toSorted()).toEqual(['last', 'twice']);
});

it('sends runs of reports, audit entries, the changes of flags and change requests, and the ends of erasures', async () => {
  const { id, companyId } = await delivery.createProject();
  const receiver = await delivery.receiver();
  const types = ['report.ran', 'flag.changed', 'change_request.changed', 'erasure.done', 'audit'];
  await delivery.createWebhook(id, receiver, { types, events: [] });
  await eventually(() => expect(receiver.requests.length).toBeGreaterThan(0));
  const at = new Date().toISOString();
  await delivery.publishRecord('report-runs', `${id}/weekly`, {
    ...{
      projectId: id,
      reportId: 'weekly',
      runId: '0198c5f1-6d2a-7c3e-9f40-5b8d2e1a7c64',
      ranAt: at,
      asOf: at,
    },
    report: { kind: 'trends' },
  });
  const entry = {
    ...{ at, companyId, projectId: id, status: null, reason: null, address: 'none', requestId: null },
    ...{ region: 'eu', service: 'flags', count: 1, until: null, outcome: 'allowed' as const },
    actor: { kind: 'person' as const, id: 'ada', tokenId: null },
  };
  await delivery.publishAudit({
    ...entry,
    id: 'aud_1',
    action: 'putFlag',
    object: 'flag:new',
    after: { enabled: true },
  });
  await delivery.publishAudit({
    ...entry,
    id: 'aud_2',
    action: 'decideChangeRequest',
    object: 'change-request:chr_1',
  });
  await delivery.publishAudit({
    ...entry,
    id: 'aud_3',
    action: 'putFlag',
    object: 'flag:new',
    outcome: 'refused',
  });
  await delivery.publishAudit({
    ...entry,
    id: 'aud_4',
    projectId: null,
    action: 'putMember',
    object: 'member:x',
  });
  await delivery.publishAudit({
    ...entry,
    id: 'aud_5',
    service: 'catalogue',
    actor: { kind: 'scheduler' as const, id: 'ers_1', tokenId: null },
    action: 'finishErasure',
    object: 'erasure:ers_1',
  });
  await eventually(() => expect(receiver.requests).toHaveLength(9));
  const byType = Map.groupBy(receiver.requests, ({ json }) => json.type);
  const dataOf = (type: string) => byType.get(type)?.map(({ json }) => json.data);
  expect(dataOf('report.ran')).toMatchObject([{ reportId: 'weekly', report: { kind: 'trends' } }]);
  expect(dataOf('flag.changed')).toMatchObject([
    { action: 'putFlag', object: 'flag:new', actor: { id: 'ada' }, before: null, after: { enabled: true } },
  ]);
  expect(dataOf('change_request.changed')).toMatchObject([{ object: 'change-request:chr_1' }]);
  expect(dataOf('erasure.done')).toEqual([{ projectId: id, erasureId: 'ers_1' }]);
  expect(
    dataOf('audit')
      ?.map(({ action }) => action)
      .toSorted(),
  ).toEqual(['decideChangeRequest', 'finishErasure', 'putFlag', 'putFlag', 'putWebhook']);
});

it('sends one message for the beginning and one for the end of an incident, however often they are published', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  await delivery.createWebhook(id, receiver, { types: ['alert.fired', 'alert.recovered'], events: [] });
  const record = {
    ...{ projectId: id, alertId: 'drop', name: 'Drop', incidentId: 'inc_1', at: new Date().toISOString() },
    ...{ rule: { kind: 'missing' }, bucket: '2026-03-01T09:00', value: 0, expected: null },
  };
  const publish = (more: object) => delivery.publishRecord('alerts', `${id}/drop`, { ...record, ...more });
  for (const _ of [1, 2]) await publish({ type: 'alert.fired' });
  await publish({ type: 'alert.recovered', ended: 'recovered' });
  await publish({ type: 'alert.fired', incidentId: 'inc_2' });
  await eventually(() => expect(receiver.requests).toHaveLength(3));
  const sent = receiver.requests.map(({ json: { type, data } }) => `${type} ${data.incidentId}`);
  expect(sent.toSorted()).toEqual(['alert.fired inc_1', 'alert.fired inc_2', 'alert.recovered inc_1']);
  expect(receiver.requests[0]?.json.data).toMatchObject({ projectId: id, alertId: 'drop', value: 0 });
});

it('sends what happens in a conversation as documented, in order, each time once, and ids of a long turn', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  const types = ['conversation.opened', 'conversation.turn', 'conversation.resolved'];
  await delivery.createWebhook(id, receiver, { types, events: [], ordered: true });
  const turn = { ...JSON.parse(documented('docs/webhooks.md#conversations', 'json')), projectId: id };
  const { turnId: _, authorKind: __, text: ___, ...conversation } = turn;
  const at = (n: number) => new Date(Date.now() + n).toISOString();
  const records = [
    { type: 'conversation.opened', at: at(0), ...conversation },
    { type: 'conversation.turn', at: at(1), ...turn },
    { type: 'conversation.resolved', at: at(2), ...conversation, status: 'resolved' },
    { type: 'conversation.turn', at: at(3), ...turn, turnId: 'trn_2', text: '€'.repeat(10_000) },
    { type: 'conversation.resolved', at: at(4), ...conversation, status: 'resolved' },
    // A field outside the contract may be private.
    { type: 'conversation.turn', at: at(5), ...turn, turnId: 'trn_3', labelIds: ['vip'], note: 'private' },
  ];
  for (const record of records)
    for (const _ of [1, 2]) await delivery.publishRecord('conversations', turn.conversationId, record);
  await eventually(() => expect(receiver.requests).toHaveLength(6));
  const { subject, text, ...ids } = turn;
  expect(receiver.requests.map(({ json }) => json)).toEqual(
    [
      conversation,
      turn,
      { ...conversation, status: 'resolved' },
      { ...ids, turnId: 'trn_2', truncated: true },
      { ...conversation, status: 'resolved' },
      { ...turn, turnId: 'trn_3' },
    ].map((data, index) => ({ type: records[index]?.type, timestamp: records[index]?.at, data })),
  );
});

it('replaces data over 20 kB by ids', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  await delivery.createWebhook(id, receiver);
  const [eventId] = await delivery.publishEvents(id, [{ properties: { text: 'x'.repeat(30_000) } }]);
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  expect(receiver.requests[0]?.json.data).toMatchObject({ projectId: id, eventId, truncated: true });
  expect(receiver.requests[0]?.json.data).not.toHaveProperty('properties');
});

it('signs with both secrets after a rotation', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  const { path, secret: old } = await delivery.createWebhook(id, receiver);
  const rotated = await manage('POST', `${path}/secret`);
  expect(rotated.body.secret).not.toBe(old);
  expect(Date.parse(rotated.body.previousSecretUntil)).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  await manage('POST', `${path}/test`);
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  const [{ headers, body }] = receiver.requests as [Received];
  expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
  for (const secret of [old, rotated.body.secret])
    expect(new StandardWebhook(secret).verify(body, headers)).toMatchObject({ type: 'webhook.test' });
});

it('retries a failure with the same id until it succeeds, and logs each attempt with the response', async () => {
  const { id } = await delivery.createProject();
  const answers = [500, 302, 404, 200];
  const receiver = await delivery.receiver((response, number) => {
    const status = answers[number - 1] ?? 200;
    response.writeHead(status, { Location: '/elsewhere' }).end(`answer ${status} ${'x'.repeat(5_000)}`);
  });
  const { path } = await delivery.createWebhook(id, receiver);
  await delivery.publishEvents(id, [{}]);
  await eventually(async () => expect(await statesOf(path)).toEqual(['delivered']));
  expect(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(receiver.requests.map(({ path: at }) => at)).toEqual(answers.map(() => '/hook'));
  const messageId = receiver.requests[0]?.headers['webhook-id'];
  const { body } = await manage('GET', `${path}/messages/${messageId}`);
  expect(body).toMatchObject({ state: 'delivered', attempts: 4, nextAttemptAt: null, lastStatus: 200 });
  expect(body.log.map(({ status }: { status: number }) => status)).toEqual(answers);
  expect(body.log[0].response).toHaveLength(1_000);
  expect(body.body).toBe(receiver.requests[0]?.body);
});

it('gives up after the last attempt, and sends one message or a range again', async () => {
  const { id } = await delivery.createProject();
  let isBroken = true;
  const receiver = await delivery.receiver((response) => response.writeHead(isBroken ? 500 : 204).end());
  const { path } = await delivery.createWebhook(id, receiver);
  await delivery.publishEvents(id, [{}, {}, {}]);
  await eventually(async () => expect(await statesOf(path)).toEqual(['failed', 'failed', 'failed']));
  expect(receiver.requests).toHaveLength(12);
  isBroken = false;
  const messageId = receiver.requests[0]?.headers['webhook-id'];
  expect((await manage('POST', `${path}/replays`, { messageId })).body).toEqual({ queued: 1 });
  await eventually(async () =>
    expect((await statesOf(path)).toSorted()).toEqual(['delivered', 'failed', 'failed']),
  );
  const range = { from: '2026-01-01T00:00:00.000Z', to: '2099-01-01T00:00:00.000Z' };
  expect((await manage('POST', `${path}/replays`, range)).body).toEqual({ queued: 2 });
  await eventually(async () => expect(await statesOf(path)).toEqual(['delivered', 'delivered', 'delivered']));
  expect((await manage('GET', `${path}/messages?state=failed`)).body.messages).toEqual([]);
});

it('disables a webhook after a response 410, keeps its messages, and records it in the audit trail', async () => {
  const { id } = await delivery.createProject();
  let status = 410;
  const receiver = await delivery.receiver((response) => response.writeHead(status).end());
  const trail = await delivery.receiver();
  const { path } = await delivery.createWebhook(id, receiver);
  await delivery.createWebhook(id, trail, { types: ['audit'], events: [] });
  await delivery.publishEvents(id, [{}]);
  await eventually(async () =>
    expect((await manage('GET', path)).body).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
      waiting: 1,
    }),
  );
  await eventually(() =>
    expect(trail.requests.map(({ json }) => json.data)).toContainEqual(
      expect.objectContaining({ action: 'disableWebhook', reason: 'The endpoint answered 410.' }),
    ),
  );
  expect((await manage('POST', `${path}/test`)).status).toBe(409);
  status = 204;
  const enabled = { url: receiver.url, types: ['event'], events: [{ event: 'paid' }] };
  expect((await manage('PUT', path, enabled)).body).toMatchObject({ enabled: true, disabledReason: null });
  await eventually(async () => expect(await statesOf(path)).toEqual(['delivered']));
});

it('pauses an endpoint for the time of Retry-After', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver((response, number) =>
    number === 1 ? response.writeHead(429, { 'Retry-After': '3600' }).end() : response.writeHead(204).end(),
  );
  const { path } = await delivery.createWebhook(id, receiver);
  await delivery.publishEvents(id, [{}]);
  await eventually(() => expect(receiver.requests).toHaveLength(1));
  await delivery.publishEvents(id, [{}]);
  const other = await delivery.receiver();
  await delivery.createWebhook(id, other);
  await delivery.publishEvents(id, [{}]);
  await eventually(() => expect(other.requests).toHaveLength(1));
  await eventually(async () => expect(await statesOf(path)).toEqual(['waiting', 'waiting', 'waiting']));
  const [{ nextAttemptAt }] = (await manage('GET', `${path}/messages`)).body.messages.slice(-1);
  expect(Date.parse(nextAttemptAt)).toBeGreaterThan(Date.now() + 3_500_000);
  expect(receiver.requests).toHaveLength(1);
});

it('sends to other endpoints while one never answers', async () => {
  const [slowProject, fastProject] = [await delivery.createProject(), await delivery.createProject()];
  const slow = await delivery.receiver(() => undefined);
  const [beside, fast] = [await delivery.receiver(), await delivery.receiver()];
  await delivery.createWebhook(slowProject.id, slow);
  await delivery.createWebhook(slowProject.id, beside);
  await delivery.createWebhook(fastProject.id, fast);
  await delivery.publishEvents(
    slowProject.id,
    Array.from({ length: 40 }, () => ({})),
  );
  await eventually(() => expect(slow.requests).toHaveLength(4));
  await delivery.publishEvents(
    fastProject.id,
    Array.from({ length: 40 }, () => ({})),
  );
  await eventually(() => expect([beside.requests.length, fast.requests.length]).toEqual([40, 40]));
  expect(slow.requests).toHaveLength(4);
});

it('keeps the order of the messages of a person where the webhook asks for it', async () => {
  const { id } = await delivery.createProject();
  let failures = 0;
  const receiver = await delivery.receiver((response, _, { json }) => {
    const fails = json.data.eventId === 'ada-1' && failures++ < 2;
    response.writeHead(fails ? 500 : 204).end();
  });
  await delivery.createWebhook(id, receiver, { ordered: true });
  await delivery.publishEvents(id, [
    ...['ada-1', 'ada-2', 'ada-3'].map((event_id) => ({ event_id })),
    { event_id: 'bob-1', distinct_id: 'bob' },
  ]);
  await eventually(() => expect(receiver.requests).toHaveLength(6));
  const ofAda = idsOf(receiver.requests).filter((eventId: string) => eventId.startsWith('ada'));
  expect(ofAda).toEqual(['ada-1', 'ada-1', 'ada-1', 'ada-2', 'ada-3']);
});

it('sends nothing to an address in a network that is not listed, and logs why', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver();
  const { path } = await delivery.createWebhook(id, receiver);
  const refused = receiver.url.replace('127.0.0.1', '127.0.0.2');
  await sql`update webhooks set url = ${refused}, encrypted_url = null where project_id = ${id}`;
  await delivery.publishEvents(id, [{}]);
  await eventually(async () => expect(await statesOf(path)).toEqual(['failed']));
  const [{ id: messageId }] = (await manage('GET', `${path}/messages`)).body.messages;
  const { body } = await manage('GET', `${path}/messages/${messageId}`);
  expect(body.log[0]).toMatchObject({
    status: null,
    error: expect.stringContaining('which WEBHOOK_PRIVATE_NETWORKS does not list'),
  });
  expect(receiver.requests).toEqual([]);
});

it('queues 9,000 events at once', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver(() => undefined);
  const { path } = await delivery.createWebhook(id, receiver);
  const events = Array.from({ length: 3_000 }, () => ({}));
  for (let records = 0; records < 3; records++) await delivery.publishEvents(id, events);
  await eventually(async () => expect((await manage('GET', path)).body.waiting).toBe(9_000), {
    withinMs: 30_000,
  });
});

it('does not deadlock with the removal of a webhook while an attempt ends', async () => {
  const { id } = await delivery.createProject();
  const held: ServerResponse[] = [];
  const receiver = await delivery.receiver((response) => void held.push(response));
  await delivery.createWebhook(id, receiver);
  await delivery.publishEvents(id, [{}]);
  await eventually(() => expect(held).toHaveLength(1));
  await sql.begin(async (tx) => {
    await tx`select id from webhooks where project_id = ${id} for update`;
    for (const response of held) response.writeHead(500).end();
    await eventually(async () =>
      expect(
        await tx`select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))`,
      ).not.toHaveLength(0),
    );
    // The attempt has searched for a deadlock by then, so this deletion would be the one that fails.
    await sleep(1_500);
    await tx`delete from webhooks where project_id = ${id}`;
  });
  expect(await sql`select 1 from messages where project_id = ${id}`).toHaveLength(0);
});

it('discards new messages while 10,000 wait, and counts them', async () => {
  const { id } = await delivery.createProject();
  const receiver = await delivery.receiver(() => undefined);
  const { path } = await delivery.createWebhook(id, receiver);
  await sql`
    insert into messages (project_id, webhook_id, id, type, subject, body, next_at, created_at)
    select ${id}, ${path.split('/').at(-1) ?? ''}, 'msg_' || n, 'event', 'ada', '{}', now() + interval '1 day', now()
    from generate_series(1, 9999) n`;
  await delivery.publishEvents(id, [{}, {}, {}]);
  await eventually(async () =>
    expect((await manage('GET', path)).body).toMatchObject({ waiting: 10_000, discarded: 2 }),
  );
});

it('sends a message again after the process that was sending it was killed', async () => {
  const { id } = await delivery.createProject();
  const held: ServerResponse[] = [];
  const receiver = await delivery.receiver((response) => void held.push(response));
  await delivery.createWebhook(id, receiver);
  await delivery.stopFirst();
  const killed = await delivery.harness.spawn('delivery');
  await delivery.publishEvents(id, [{}, {}]);
  await eventually(() => expect(held).toHaveLength(2));
  await killed.kill();
  // Ends the leases of the process.
  await sql`update messages set next_at = now() where project_id = ${id}`;
  await delivery.start();
  await eventually(() => expect(held).toHaveLength(4));
  for (const response of held) response.writeHead(204).end();
  const states = () => sql`select state from messages where project_id = ${id}`;
  await eventually(async () =>
    expect(await states()).toEqual([{ state: 'delivered' }, { state: 'delivered' }]),
  );
  const sent = receiver.requests.map(({ headers }) => headers['webhook-id']);
  expect(sent.slice(2).toSorted()).toEqual(sent.slice(0, 2).toSorted());
});
