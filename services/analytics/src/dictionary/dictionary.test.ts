import { openDatabase } from '@switchboard/database';
import { expect, it } from 'vitest';
import { createErasure } from '../people/erasure.ts';
import { useAnalytics } from '../testing/service.ts';

const analytics = await useAnalytics();

const OPERATOR = { sub: 'op', permissions: ['service.manage'] };
const path = (project: string, rest = '') => `/management/v1/projects/${project}/dictionary${rest}`;
const NEW = { description: '', owner: null, hidden: false, verified: false };
const PAID = { description: 'Paid', owner: 'ada', hidden: false, verified: true };

async function put(project: string, rest: string, body: object, status = 200) {
  const answer = await analytics.call('PUT', path(project, rest), { ...OPERATOR, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body;
}

it('stores, lists by page, replaces and deletes entries of the dictionary', async () => {
  expect(await put('shop', '/event/order%20placed', PAID)).toEqual({
    kind: 'event',
    name: 'order placed',
    ...PAID,
  });
  await put('shop', '/property/plan', { hidden: true });
  await put('shop', '/event/Seen', {});
  const named: unknown[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await analytics.call('GET', path('shop', `?limit=1${cursor}`), OPERATOR);
    const { dictionary, nextCursor } = Object(body);
    named.push(...dictionary);
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  expect(named).toEqual([
    { kind: 'event', name: 'Seen', ...NEW },
    { kind: 'event', name: 'order placed', ...PAID },
    { kind: 'property', name: 'plan', ...NEW, hidden: true },
  ]);
  await put('shop', '/event/Seen', { description: 'A page was seen' });
  const seen = () => analytics.call('GET', path('shop', '/event/Seen'), OPERATOR);
  expect((await seen()).body).toMatchObject({ description: 'A page was seen' });
  const removed = await analytics.call('DELETE', path('shop', '/event/Seen'), OPERATOR);
  expect(removed.status).toBe(204);
  expect(await seen()).toMatchObject({ status: 404, body: { error: { message: 'Entry not found.' } } });
});

it('keeps the dictionaries of projects apart, and answers only members on the API host', async () => {
  await put('blog', '/event/read', { description: 'Read' });
  const own = await analytics.call('GET', '/v1/projects/blog/dictionary', { sub: 'ada' });
  expect(own).toMatchObject({ status: 200, body: { dictionary: [{ name: 'read' }] } });
  for (const [method, rest] of [
    ['GET', ''],
    ['PUT', '/event/read'],
    ['DELETE', '/event/read'],
  ] as const) {
    const url = `/v1/projects/blog/dictionary${rest}`;
    const answer = await analytics.call(method, url, {
      sub: 'outsider',
      ...(method === 'PUT' && { body: {} }),
    });
    expect(answer.status).toBe(403);
  }
});

it('rejects an owner who is not a member, an unknown kind and an unknown cursor', async () => {
  expect(await put('shop', '/event/a', { owner: 'stranger' }, 400)).toMatchObject({
    error: { message: 'owner: not a member of the company; use the sub of one' },
  });
  await put('shop', '/trait/a', {}, 400);
  const cursor = Buffer.from('["trait","a"]').toString('base64url');
  expect(await analytics.call('GET', path('shop', `?cursor=${cursor}`), OPERATOR)).toMatchObject({
    status: 400,
  });
});

it('rejects the 5,001st entry of a project, and still replaces the others', async () => {
  await analytics.directory.putProject({ id: 'full', members: ['ada'] });
  await put('full', '/event/1', {});
  const database = openDatabase({ url: analytics.databaseUrl, applicationName: 'test' });
  await database.sql`
    insert into dictionary (project_id, kind, name, description, hidden, verified)
    select 'full', 'property', 'property ' || n, '', false, false from generate_series(1, 4999) as n`;
  await database.close();
  expect(await put('full', '/event/2', {}, 400)).toMatchObject({
    error: { message: 'A project has at most 5,000 entries in its dictionary. Delete some first.' },
  });
  await put('full', '/event/1', { verified: true });
});

it('clears an erased colleague as owner, and erases the dictionary of a deleted project', async () => {
  await analytics.directory.putProject({ id: 'erased', members: ['ada', 'bob'] });
  await put('erased', '/event/a', { owner: 'bob' });
  await put('blog', '/event/b', {});
  const database = openDatabase({ url: analytics.databaseUrl, applicationName: 'test' });
  const erasure = createErasure(database.drizzle, undefined);
  const { signal } = new AbortController();
  const status = async (project: string, name: string) =>
    (await analytics.call('GET', path(project, `/event/${name}`), OPERATOR)).status;
  await erasure.eraseColleague?.('bob', signal);
  const { body } = await analytics.call('GET', path('erased', '/event/a'), OPERATOR);
  expect(body).toMatchObject({ owner: null });
  await erasure.eraseProject?.('erased', signal);
  await database.close();
  expect([await status('erased', 'a'), await status('blog', 'b')]).toEqual([404, 200]);
});
