import { createHmac } from 'node:crypto';
import { eventually } from '@switchboard/testkit';
import { expect, test } from 'vitest';
import { type TestMessenger, useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { visitorOf } from '../testing/visitor.ts';
import { createListStore } from './list/store.ts';
import { createTokensStore } from './tokens/store.ts';

const messenger = await useMessenger({ env: { RATE_LIMITS_MULTIPLIER: '1000' } });

const DAY_MS = 86_400_000;
const hashOf = (secret: string, userId: string) => createHmac('sha256', secret).update(userId).digest('hex');

/** Creates a project with an identity secret. */
async function verifyingProject() {
  const project = await messenger.createProject();
  const { body } = await messenger.manage('POST', `/projects/${project.id}/identity-secrets`);
  const visitor = visitorOf(messenger, project);
  const proof = (userId: string) => ({ userId, userHash: hashOf(body.secret, userId) });
  const ask = (request: object) => visitor.to('POST', '/v1/conversations/mine', { body: request });
  return { project, visitor, proof, ask };
}

/** Returns the conversations of a user, as another device gets them. */
async function mine(ask: (request: object) => ReturnType<TestMessenger['call']>, request: object) {
  const { status, headers, body } = await ask(request);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  return body.conversations.map(({ conversationId, token, ...rest }: Record<string, string>) => ({
    id: conversationId,
    token,
    ...rest,
  }));
}

test('lists the conversations of a verified user on another device, latest first, with tokens that open them', async () => {
  const { visitor, proof, ask } = await verifyingProject();
  const first = await visitor.open({ ...proof('ada'), distinctId: 'phone', subject: 'Invoice' });
  const second = await visitor.open({ ...proof('ada'), distinctId: 'laptop' });
  await visitor.open({ ...proof('grace') });
  await visitor.open({ distinctId: 'ada' });
  await visitor.send(first, 'from the phone');
  const listed = await mine(ask, proof('ada'));
  expect(listed).toEqual([
    {
      id: first.id,
      token: expect.stringMatching(/^cvt_[A-Za-z0-9_-]{43}$/),
      expiresInSeconds: 30 * 86_400,
      subject: 'Invoice',
      status: 'open',
      createdAt: expect.any(String),
      lastTurnAt: expect.any(String),
    },
    expect.objectContaining({ id: second.id, subject: null }),
  ]);
  const [onLaptop] = listed;
  expect((await visitor.read(onLaptop)).body.turns).toMatchObject([{ body: 'from the phone' }]);
  expect((await visitor.send(onLaptop, 'from the laptop')).status).toBe(201);
  // The first device keeps its own token.
  expect((await visitor.read(first)).body.turns).toMatchObject([
    { authorId: 'ada' },
    { body: 'from the laptop', authorId: 'ada' },
  ]);
  expect((await visitor.read({ ...onLaptop, id: second.id })).status).toBe(401);
});

test('refuses the conversations of a user to everyone without their hash', async () => {
  const { project, visitor, proof, ask } = await verifyingProject();
  await visitor.open({ ...proof('ada'), distinctId: 'ada' });
  const { userHash } = proof('ada');
  const refused = [
    proof('grace').userHash,
    hashOf('x', 'ada'),
    userHash.toUpperCase(),
    userHash.slice(1),
    '',
    `${userHash}0`,
  ];
  for (const wrong of refused) {
    const { status, body } = await ask({ userId: 'ada', userHash: wrong });
    expect([wrong, status, body.error]).toEqual([wrong, 403, 'Forbidden']);
  }
  for (const body of [
    { userId: 'ada' },
    { userId: 'ada', userHash: null },
    { userHash },
    { userId: '', userHash },
  ])
    expect((await ask(body)).status).toBe(400);
  const other = await verifyingProject();
  expect((await other.ask(proof('ada'))).status).toBe(403);
  expect(await mine(other.ask, other.proof('ada'))).toEqual([]);
  const abroad = await messenger.createProject({ region: 'us' });
  for (const [token, status] of [
    [null, 401],
    ['nonsense', 401],
    [abroad.key, 403],
  ] as const)
    expect(
      (await messenger.call('POST', '/v1/conversations/mine', { token, body: proof('ada') })).status,
    ).toBe(status);
  expect(project.key).not.toBe(abroad.key);
});

test('refuses a project without an identity secret, and never lists an unverified conversation', async () => {
  const project = await messenger.createProject();
  const visitor = visitorOf(messenger, project);
  const ask = (body: object) => visitor.to('POST', '/v1/conversations/mine', { body });
  const unverified = await visitor.open({ userId: 'ada', userHash: 'anything' });
  expect((await ask({ userId: 'ada', userHash: 'anything' })).status).toBe(403);
  const { body } = await messenger.manage('POST', `/projects/${project.id}/identity-secrets`);
  expect(await mine(ask, { userId: 'ada', userHash: hashOf(body.secret, 'ada') })).toEqual([]);
  expect((await visitor.read(unverified)).status).toBe(200);
});

test('never lists a conversation of an id that a holder of the project key joined to the user', async () => {
  const { project, visitor, proof, ask } = await verifyingProject();
  const victim = await visitor.open({ distinctId: 'anonymous-victim' });
  await visitor.open({ ...proof('victim'), distinctId: 'anonymous-victim' });
  await messenger.join(project, 'mallory', 'anonymous-victim');
  expect(await mine(ask, proof('mallory'))).toEqual([]);
  expect((await visitor.read(victim)).status).toBe(200);
});

test('lists at most 20 conversations, and keeps the newest 10 tokens of one', async () => {
  const { project, visitor, proof, ask } = await verifyingProject();
  const opened: string[] = [];
  for (let count = 0; count < 20; count++) opened.push((await visitor.open(proof('ada'))).id);
  const refused = await visitor.to('POST', '/v1/conversations', {
    body: { distinctId: 'visitor', ...proof('ada') },
  });
  expect(refused.status).toBe(409);
  expect(refused.body.message).toContain('20 conversations that are not resolved');
  // The bound is not one of people without proof.
  await visitor.open({ distinctId: 'visitor' });

  const path = `/projects/${project.id}/conversations/${opened[0]}/status`;
  expect((await messenger.manage('PUT', path, { status: 'resolved' })).status).toBe(200);
  opened.push((await visitor.open(proof('ada'))).id);
  const ids = (await mine(ask, proof('ada'))).map(({ id }: { id: string }) => id);
  expect(ids).toEqual(opened.toReversed().slice(0, 20));

  const own = await verifyingProject();
  const first = await own.visitor.open(own.proof('ada'));
  const devices = [];
  for (let count = 0; count < 12; count++) {
    devices.push((await mine(own.ask, own.proof('ada')))[0]);
    messenger.time.shift += 1000;
  }
  const statuses = await Promise.all(devices.map(async (device) => (await own.visitor.read(device)).status));
  expect(statuses).toEqual([401, 401, ...Array(10).fill(200)]);
  expect((await own.visitor.read(first)).status).toBe(200);
});

test('lets a token of another device expire after 30 days, and renews none that has expired', async () => {
  const { visitor, proof, ask } = await verifyingProject();
  const before = messenger.time.shift;
  try {
    const first = await visitor.open(proof('ada'));
    messenger.time.shift += 29 * DAY_MS;
    const [device] = await mine(ask, proof('ada'));
    messenger.time.shift += 2 * DAY_MS;
    expect((await visitor.send(device, 'a use of another token')).status).toBe(201);
    expect((await visitor.read(device)).status).toBe(200);
    expect((await visitor.read(first)).status).toBe(401);
    messenger.time.shift += 29 * DAY_MS;
    expect((await visitor.read(device)).status).toBe(401);
    const [again] = await mine(ask, proof('ada'));
    expect((await visitor.read(again)).status).toBe(200);
  } finally {
    messenger.time.shift = before;
  }
});

test('revokes the tokens of every device', async () => {
  const { project, visitor, proof, ask } = await verifyingProject();
  const first = await visitor.open(proof('ada'));
  const [device] = await mine(ask, proof('ada'));
  const revoke = async () =>
    (
      await messenger.manage('POST', `/projects/${project.id}/conversation-token-revocations`, {
        userId: 'ada',
      })
    ).body;
  expect(await revoke()).toEqual({ revoked: 1 });
  for (const one of [first, device]) expect((await visitor.read(one)).status).toBe(401);
  expect(await revoke()).toEqual({ revoked: 0 });
  const [again] = await mine(ask, proof('ada'));
  expect(await revoke()).toEqual({ revoked: 1 });
  expect((await visitor.read(again)).status).toBe(401);
});

test('limits the lists by address and by project', async () => {
  const { project, proof } = await verifyingProject();
  for (const limits of [{ ownListsPerAddress: 1 }, { ownListsPerProject: 1 }]) {
    const { url, stop } = await messenger.startInstance({}, { constants: { limits } });
    const visitor = visitorOf(messenger, project, url);
    const statuses = [];
    for (const body of [{ userId: 'ada', userHash: 'wrong' }, proof('ada')])
      statuses.push((await visitor.to('POST', '/v1/conversations/mine', { body })).status);
    expect(statuses).toEqual([403, 429]);
    await stop();
  }
});

test('reads few rows to list the conversations of a user or a person', async () => {
  const { sql, drizzle } = messenger.database;
  await sql`insert into conversations (id, project_id, distinct_id, user_id, user_verified, token_hash,
      token_expires_at, created_at, last_turn_at)
    select 'own' || n, 'own', 'd' || n % 200, 'u' || n % 200, true, '', now(), now(), now() - n * interval '1 minute'
    from generate_series(1, 20000) n`;
  await sql`insert into turns (conversation_id, position, id, author_kind, body, created_at)
    select 'own' || n, 1, 'trn_own' || n, 'visitor', 'Hello', now() from generate_series(1, 20000) n`;
  await sql`insert into conversation_reads (conversation_id, sub, position)
    select 'own' || n, 'ada', 1 from generate_series(1, 20000) n`;
  await sql`analyze conversations, turns, conversation_reads`;
  const list = createListStore(drizzle);
  const page = { projectId: 'own', sub: 'ada', status: undefined, after: undefined, size: 51 };
  for (const query of [
    createTokensStore(drizzle).ownQuery('own', 'u1'),
    list.pageQuery({ ...page, distinctIds: ['d1', 'd2'] }),
    list.pageQuery({ ...page, status: 'open', distinctIds: ['d1', 'd2'] }),
  ]) {
    const { sql: text, params } = query.toSQL();
    const [plan] = await sql.unsafe(`explain (analyze, format json) ${text}`, params as never[]);
    const rows = [...JSON.stringify(plan).matchAll(/"Actual Rows":\s*([\d.]+)/g)].map(([, n]) => Number(n));
    expect(Math.max(...rows)).toBeLessThanOrEqual(200);
    expect(JSON.stringify(plan)).not.toContain('Seq Scan');
  }
});

test('lists the conversations of all ids of a person to operators', async () => {
  const { project, visitor } = await verifyingProject();
  const [phone, laptop] = [
    await visitor.open({ distinctId: 'phone' }),
    await visitor.open({ distinctId: 'laptop' }),
  ];
  const other = await visitor.open({ distinctId: 'grace' });
  const idsOf = async (project: TestProject, query: string) => {
    const path = `/projects/${project.id}/conversations?${query}`;
    const { status, body } = await messenger.manage('GET', path);
    expect(status).toBe(200);
    return body.conversations.map(({ id }: { id: string }) => id);
  };
  expect(await idsOf(project, 'distinctId=phone')).toEqual([phone.id]);
  await messenger.join(project, 'ada', 'phone', 'laptop');
  for (const id of ['ada', 'phone', 'laptop'])
    await eventually(async () =>
      expect(await idsOf(project, `distinctId=${id}`)).toEqual([laptop.id, phone.id]),
    );
  expect(await idsOf(project, 'distinctId=grace')).toEqual([other.id]);
  expect(await idsOf(project, 'distinctId=phone&status=resolved')).toEqual([]);
  await messenger.part(project, 'phone');
  expect(await idsOf(project, 'distinctId=ada')).toEqual([laptop.id]);
});
