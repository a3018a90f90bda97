import { createHmac } from 'node:crypto';
import { eventually } from '@switchboard/testkit';
import { expect, test } from 'vitest';
import { IDENTITY_SECRET, useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { visitorOf } from '../testing/visitor.ts';

const messenger = await useMessenger({ env: { RATE_LIMITS_MULTIPLIER: '1000' } });

const secretsOf = ({ id }: TestProject, secret = '') => `/projects/${id}/identity-secrets${secret}`;
const hashOf = (secret: string, userId: string) => createHmac('sha256', secret).update(userId).digest('hex');

async function openAs(project: TestProject, body: object) {
  return visitorOf(messenger, project).to('POST', '/v1/conversations', {
    body: { distinctId: 'd', ...body },
  });
}

async function operatorView(project: TestProject, id: string) {
  return (await messenger.manage('GET', `/projects/${project.id}/conversations/${id}`)).body;
}

test('stores a userId without a secret as unverified, and not as the author of turns', async () => {
  const project = await messenger.createProject();
  const opened = await openAs(project, { userId: 'ada', userHash: 'anything' });
  expect(opened.status).toBe(201);
  const { conversationId: id, token } = opened.body;
  const { body } = await visitorOf(messenger, project).send({ id, token }, 'hello');
  expect(body.turn.authorId).toBeNull();
  expect(await operatorView(project, id)).toMatchObject({ userId: 'ada', userVerified: false });
});

test('requires the userHash of a userId with a secret, and makes it the author of its turns', async () => {
  const project = await messenger.createProject();
  const created = await messenger.manage('POST', secretsOf(project));
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
  const { body } = await visitorOf(messenger, project).send({ id, token }, 'hello');
  expect(body.turn).toMatchObject({ authorKind: 'visitor', authorId: 'ada', authorName: null });
  expect(await operatorView(project, id)).toMatchObject({ userId: 'ada', userVerified: true });
  expect((await openAs(project, {})).status).toBe(201);
});

test('accepts up to two secrets of a project, refuses a third, and verifies nothing with a removed one', async () => {
  const project = await messenger.createProject();
  const first = await messenger.manage('POST', secretsOf(project));
  const second = await messenger.manage('POST', secretsOf(project));
  expect(first.body.secret).not.toBe(second.body.secret);
  const third = await messenger.manage('POST', secretsOf(project));
  expect([third.status, third.body.error.code]).toEqual([409, 'CONFLICT']);
  for (const { body } of [first, second]) {
    expect((await openAs(project, { userId: 'ada', userHash: hashOf(body.secret, 'ada') })).status).toBe(201);
  }
  for (let times = 0; times < 2; times++) {
    const removed = await messenger.manage('DELETE', secretsOf(project, `/${first.body.id}`));
    expect([removed.status, removed.bytes.length]).toEqual([204, 0]);
  }
  const userHash = hashOf(first.body.secret, 'ada');
  expect((await openAs(project, { userId: 'ada', userHash })).status).toBe(403);
  expect((await messenger.manage('POST', secretsOf(project))).status).toBe(201);
});

test('keeps two of many secrets created concurrently', async () => {
  const project = await messenger.createProject();
  const made = await Promise.all(
    Array.from({ length: 8 }, () => messenger.manage('POST', secretsOf(project))),
  );
  expect(made.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409, 409, 409, 409]);
});

test("neither verifies a user with another project's secret nor removes it", async () => {
  const [project, other] = [await messenger.createProject(), await messenger.createProject()];
  await messenger.manage('POST', secretsOf(project));
  const { body } = await messenger.manage('POST', secretsOf(other));
  expect((await openAs(project, { userId: 'ada', userHash: hashOf(body.secret, 'ada') })).status).toBe(403);
  expect((await messenger.manage('DELETE', secretsOf(project, `/${body.id}`))).status).toBe(204);
  expect((await openAs(other, { userId: 'ada', userHash: hashOf(body.secret, 'ada') })).status).toBe(201);
  expect((await messenger.manage('POST', secretsOf({ ...project, id: 'nowhere' }))).status).toBe(404);
});

test('encrypts secrets in the database, and verifies users after the key changes', async () => {
  const project = await messenger.createProject();
  const { body } = await messenger.manage('POST', secretsOf(project));
  const rows = await messenger.database.sql`select row_to_json(i)::text as text from identity_secrets i`;
  for (const row of rows) expect(row['text']).not.toContain(body.secret);
  const { url } = await messenger.startInstance({
    IDENTITY_SECRET: `${'a new one '.repeat(4)},${IDENTITY_SECRET}`,
  });
  const answer = await messenger.call('POST', '/v1/conversations', {
    url,
    token: project.key,
    body: { distinctId: 'd', userId: 'ada', userHash: hashOf(body.secret, 'ada') },
  });
  expect(answer.status).toBe(201);
});

test('lists secrets to an operator by id and creation time only', async () => {
  const project = await messenger.createProject();
  const first = (await messenger.manage('POST', secretsOf(project))).body;
  const second = (await messenger.manage('POST', secretsOf(project))).body;
  const both = await messenger.manage('GET', secretsOf(project));
  expect(both.body.secrets.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
  expect(Object.keys(both.body.secrets[0]).sort()).toEqual(['createdAt', 'id']);
  await messenger.manage('DELETE', secretsOf(project, `/${first.id}`));
  expect((await messenger.manage('GET', secretsOf(project))).body.secrets).toHaveLength(1);
});

test('rotates IDENTITY_SECRET: an instance with both values re-encrypts, then the new one alone decrypts', async () => {
  const project = await messenger.createProject();
  const { secret } = (await messenger.manage('POST', secretsOf(project))).body;
  const next = 'the next secret of more than thirty-two too';
  const body = { distinctId: 'd', userId: 'ada', userHash: hashOf(secret, 'ada') };
  const openAt = async (secrets: string) => {
    const instance = await messenger.startInstance({ IDENTITY_SECRET: secrets });
    const answer = await messenger.call('POST', '/v1/conversations', {
      url: instance.url,
      token: project.key,
      body,
    });
    return { answer, stop: instance.stop };
  };
  const both = await openAt(`${next},${IDENTITY_SECRET}`);
  expect(both.answer.status).toBe(201);
  await eventually(async () => {
    const alone = await openAt(next);
    await alone.stop();
    expect(alone.answer.status).toBe(201);
  });
  await both.stop();
  // Restores the first secret for the other tests.
  const back = await openAt(`${IDENTITY_SECRET},${next}`);
  await eventually(async () => expect((await openAs(project, body)).status).toBe(201));
  await back.stop();
});
