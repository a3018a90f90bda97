import { createHmac } from 'node:crypto';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestProject } from '../testing/projects.ts';
import { visitorOf } from '../testing/visitor.ts';
import { startWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ env: { OPENS_PER_ADDRESS_PER_MINUTE: '100000' } });
});
afterAll(() => world.stop());

const secretsOf = ({ id }: TestProject, secret = '') => `/projects/${id}/identity-secrets${secret}`;
const hashOf = (secret: string, userId: string) => createHmac('sha256', secret).update(userId).digest('hex');

async function openAs(project: TestProject, body: object) {
  return visitorOf(world, project).to('POST', '/v1/conversations', { body: { distinctId: 'd', ...body } });
}

async function operatorView(project: TestProject, id: string) {
  return (await world.manage('GET', `/projects/${project.id}/conversations/${id}`)).body;
}

test('without a secret a userId is kept as unverified, and is no author', async () => {
  const project = await world.createProject();
  const opened = await openAs(project, { userId: 'ada', userHash: 'anything' });
  expect(opened.status).toBe(201);
  const { conversationId: id, token } = opened.body;
  const { body } = await visitorOf(world, project).send({ id, token }, 'hello');
  expect(body.turn.authorId).toBeNull();
  expect(await operatorView(project, id)).toMatchObject({ userId: 'ada', userVerified: false });
});

test('with a secret a userId needs its hash, and is then the author of its turns', async () => {
  const project = await world.createProject();
  const created = await world.manage('POST', secretsOf(project));
  expect(created.status).toBe(201);
  const { id: secretId, secret } = created.body;
  expect(secretId).toMatch(/^ids_/);
  const right = hashOf(secret, 'ada');
  const wrong = [
    undefined,
    null,
    '',
    right.slice(1),
    right.toUpperCase(),
    hashOf(secret, 'bob'),
    hashOf('x', 'ada'),
  ];
  for (const userHash of wrong) {
    const answer = await openAs(project, { userId: 'ada', userHash });
    expect([answer.status, answer.body.error]).toEqual([403, 'Forbidden']);
    expect(answer.body.message).toContain('userHash');
  }
  const opened = await openAs(project, { userId: 'ada', userHash: right });
  expect(opened.status).toBe(201);
  const { conversationId: id, token } = opened.body;
  const { body } = await visitorOf(world, project).send({ id, token }, 'hello');
  expect(body.turn).toMatchObject({ authorKind: 'visitor', authorId: 'ada', authorName: null });
  expect(await operatorView(project, id)).toMatchObject({ userId: 'ada', userVerified: true });
  expect((await openAs(project, {})).status).toBe(201);
});

test('two secrets live at once, a third is refused; a removed one proves nothing', async () => {
  const project = await world.createProject();
  const first = await world.manage('POST', secretsOf(project));
  const second = await world.manage('POST', secretsOf(project));
  expect(first.body.secret).not.toBe(second.body.secret);
  const third = await world.manage('POST', secretsOf(project));
  expect([third.status, third.body.error.code]).toEqual([409, 'CONFLICT']);
  for (const { body } of [first, second]) {
    expect((await openAs(project, { userId: 'ada', userHash: hashOf(body.secret, 'ada') })).status).toBe(201);
  }
  for (let times = 0; times < 2; times++) {
    const removed = await world.manage('DELETE', secretsOf(project, `/${first.body.id}`));
    expect([removed.status, removed.bytes.length]).toEqual([204, 0]);
  }
  const userHash = hashOf(first.body.secret, 'ada');
  expect((await openAs(project, { userId: 'ada', userHash })).status).toBe(403);
  expect((await world.manage('POST', secretsOf(project))).status).toBe(201);
});

test('of many made at once two live', async () => {
  const project = await world.createProject();
  const made = await Promise.all(Array.from({ length: 8 }, () => world.manage('POST', secretsOf(project))));
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409, 409, 409]);
});

test("another project's secret neither proves nor can be removed from here", async () => {
  const [project, other] = [await world.createProject(), await world.createProject()];
  await world.manage('POST', secretsOf(project));
  const { body } = await world.manage('POST', secretsOf(other));
  expect((await openAs(project, { userId: 'ada', userHash: hashOf(body.secret, 'ada') })).status).toBe(403);
  expect((await world.manage('DELETE', secretsOf(project, `/${body.id}`))).status).toBe(204);
  expect((await openAs(other, { userId: 'ada', userHash: hashOf(body.secret, 'ada') })).status).toBe(201);
  expect((await world.manage('POST', secretsOf({ ...project, id: 'nowhere' }))).status).toBe(404);
});

test('who reads the database has no secret; after a change of the key the old ones still prove', async () => {
  const project = await world.createProject();
  const { body } = await world.manage('POST', secretsOf(project));
  const rows = await world.database.sql`select row_to_json(i)::text as text from identity_secrets i`;
  for (const row of rows) expect(row['text']).not.toContain(body.secret);
  const old = 'a secret of more than thirty-two characters';
  const { url } = await world.startInstance({ IDENTITY_SECRET: `${'a new one '.repeat(4)},${old}` });
  const answer = await world.call('POST', '/v1/conversations', {
    url,
    token: project.key,
    body: { distinctId: 'd', userId: 'ada', userHash: hashOf(body.secret, 'ada') },
  });
  expect(answer.status).toBe(201);
});

test('an operator lists which secrets are live, never what they are', async () => {
  const project = await world.createProject();
  const first = (await world.manage('POST', secretsOf(project))).body;
  const second = (await world.manage('POST', secretsOf(project))).body;
  const both = await world.manage('GET', secretsOf(project));
  expect(both.body.secrets.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
  expect(Object.keys(both.body.secrets[0]).sort()).toEqual(['createdAt', 'id']);
  await world.manage('DELETE', secretsOf(project, `/${first.id}`));
  expect((await world.manage('GET', secretsOf(project))).body.secrets).toHaveLength(1);
});

test('IDENTITY_SECRET is changed in steps: what an instance with both has sealed anew opens with the new one', async () => {
  const project = await world.createProject();
  const { secret } = (await world.manage('POST', secretsOf(project))).body;
  const [old, next] = [
    'a secret of more than thirty-two characters',
    'the next secret of more than thirty-two too',
  ];
  const body = { distinctId: 'd', userId: 'ada', userHash: hashOf(secret, 'ada') };
  const openAt = async (IDENTITY_SECRET: string) => {
    const instance = await world.startInstance({ IDENTITY_SECRET });
    const answer = await world.call('POST', '/v1/conversations', {
      url: instance.url,
      token: project.key,
      body,
    });
    return { answer, stop: instance.stop };
  };
  const both = await openAt(`${next},${old}`);
  expect(both.answer.status).toBe(201);
  await eventually(async () => {
    const alone = await openAt(next);
    await alone.stop();
    expect(alone.answer.status).toBe(201);
  });
  await both.stop();
  // For the tests beside this one.
  const back = await openAt(`${old},${next}`);
  await eventually(async () => expect((await openAs(project, body)).status).toBe(201));
  await back.stop();
});
