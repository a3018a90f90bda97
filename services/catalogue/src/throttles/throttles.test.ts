import { eventually, testDatabase } from '@switchboard/testkit';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { acme, pro, shop, testCatalogue, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
beforeAll(async () => {
  await one.put('/plans/pro/monthly', pro);
  await one.put('/companies/acme', acme);
});
beforeEach(async () => {
  await one.reset('/projects/shop');
  await one.put('/projects/shop', shop);
});

const THROTTLE = '/throttles/shop';
const isPublished = (value: unknown) =>
  eventually(async () => expect((await catalogue.published()).get('project:shop')).toEqual(value));
const throttled = async () => (await one.manage('GET', '/throttles')).body.throttles;

it('adds a throttle to the entry of its project, also after the project changes, until it is removed', async () => {
  const { status, body } = await one.put(THROTTLE, { eventsPerSecond: 100 });
  expect([status, body]).toMatchObject([200, { projectId: 'shop', eventsPerSecond: 100 }]);
  await isPublished({ id: 'shop', ...shop, eventsPerSecond: 100 });
  await one.put('/projects/shop', { ...shop, name: 'Web shop' });
  await isPublished({ id: 'shop', ...shop, name: 'Web shop', eventsPerSecond: 100 });
  await one.put(THROTTLE, { eventsPerSecond: 0 });
  await isPublished({ id: 'shop', ...shop, name: 'Web shop', eventsPerSecond: 0 });
  expect(await throttled()).toEqual([{ ...body, eventsPerSecond: 0 }]);
  expect((await one.manage('GET', THROTTLE)).body).toEqual({ ...body, eventsPerSecond: 0 });
  expect((await one.get('/metrics')).body).toMatch(/^switchboard_projects_throttled\{.*\} 1$/m);
  expect((await one.manage('GET', '/projects/shop')).body).not.toHaveProperty('eventsPerSecond');
  expect((await one.remove(THROTTLE)).status).toBe(204);
  expect((await one.remove(THROTTLE)).status).toBe(204);
  await isPublished({ id: 'shop', ...shop, name: 'Web shop' });
  expect(await throttled()).toEqual([]);
  expect((await one.manage('GET', THROTTLE)).status).toBe(404);
});

it('ends a throttle with its project', async () => {
  await one.put(THROTTLE, { eventsPerSecond: 1 });
  await one.remove('/projects/shop');
  expect(await throttled()).toEqual([]);
  expect((await one.put(THROTTLE, { eventsPerSecond: 1 })).status).toBe(404);
});

it.each([-1, 0.5, 1_000_001, '5', null])('rejects a rate of %s', async (eventsPerSecond) => {
  const { status, body } = await one.put(THROTTLE, { eventsPerSecond });
  expect(status).toBe(400);
  expect(body.error.message).toMatch(/^eventsPerSecond: /);
});

it('publishes the throttles of all projects again with a new topic', async () => {
  const database = await testDatabase();
  const before = await testCatalogue({ databaseUrl: database.url });
  const { put } = await before.instance();
  await put('/plans/pro/monthly', pro);
  await put('/companies/acme', acme);
  await put('/projects/shop', shop);
  await put(THROTTLE, { eventsPerSecond: 7 });
  // Otherwise this instance would publish the other instance's changes to its own topic.
  await before.close();
  const after = await testCatalogue({ databaseUrl: database.url });
  await after.instance();
  await eventually(async () =>
    expect((await after.published()).get('project:shop')).toEqual({
      id: 'shop',
      ...shop,
      eventsPerSecond: 7,
    }),
  );
  await after.close();
  await database.drop();
});

it('lets operators of the directory throttle a project, records it in the audit trail, and lets no company role do it', async () => {
  await one.put('/companies/acme/members/olga', { name: 'Olga', email: 'o@example.com', role: 'owner' });
  const owner = await catalogue.tokens.mint({ sub: 'olga' });
  for (const [method, path] of [
    ['GET', '/throttles'],
    ['GET', THROTTLE],
    ['PUT', THROTTLE],
    ['DELETE', THROTTLE],
  ] as const) {
    const body = method === 'PUT' ? { eventsPerSecond: 1 } : undefined;
    expect((await one.manage(method, path, body, owner)).status).toBe(403);
    expect((await one.manage(method, path, body, null)).status).toBe(401);
  }
  const operator = await catalogue.tokens.mint({ sub: 'op', permissions: ['service.directory'] });
  expect((await one.manage('PUT', THROTTLE, { eventsPerSecond: 5 }, operator)).status).toBe(200);
  await eventually(async () => {
    const { body } = await one.manage('GET', '/audit?action=putThrottle');
    expect(body.entries[0]).toMatchObject({
      action: 'putThrottle',
      outcome: 'allowed',
      actor: { id: 'op' },
      projectId: 'shop',
      before: { eventsPerSecond: null },
      after: { eventsPerSecond: 5 },
    });
  });
});
