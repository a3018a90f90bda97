import { COHORT_CHANGES_TOPIC, type CohortChanges, WATCHED_COHORTS_TOPIC } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { afterAll, expect, it } from 'vitest';
import { createErasure } from '../erasure/erasure.ts';
import { createErasureStore } from '../erasure/store.ts';
import { useDelivery } from '../testing/harness.ts';
import { createWebhooksStore } from '../webhooks/store.ts';

const delivery = await useDelivery();
const { manage } = delivery;
const database = openDatabase({ url: delivery.databaseUrl, applicationName: 'test' });
afterAll(() => database.close());

const BOTH = { types: ['cohort.entered', 'cohort.left'], events: [] };

/** Returns the last record of a project on the topic of watched cohorts. Undefined for none. */
async function published(projectId: string): Promise<unknown> {
  let last: unknown;
  await readTopic(delivery.log, WATCHED_COHORTS_TOPIC, {
    onRecord: ({ key, value }) => {
      if (key === projectId) last = value && JSON.parse(String(value));
    },
  });
  return last;
}

const eventuallyWatches = (projectId: string, cohortIds: readonly string[] | null) =>
  eventually(async () =>
    expect(await published(projectId)).toEqual(cohortIds && { projectId, cohortIds: [...cohortIds] }),
  );

function publish(projectId: string, cohortId: string, more: Partial<CohortChanges> = {}) {
  const at = new Date().toISOString();
  const record = { projectId, cohortId, at, entered: [], left: [], members: 2, failure: null, ...more };
  return delivery.publishRecord(COHORT_CHANGES_TOPIC, `${projectId}/${cohortId}`, record);
}

it('publishes the cohorts that the webhooks of a project watch, until none is left', async () => {
  const receiver = await delivery.receiver();
  const [mine, theirs] = [await delivery.createProject(), await delivery.createProject()];
  const first = await delivery.createWebhook(mine.id, receiver, { ...BOTH, cohorts: ['vip', 'beta'] });
  const second = await delivery.createWebhook(mine.id, receiver, { ...BOTH, cohorts: ['beta', 'churned'] });
  await delivery.createWebhook(theirs.id, receiver, { ...BOTH, cohorts: ['vip'] });
  await eventuallyWatches(mine.id, ['beta', 'churned', 'vip']);
  await manage('DELETE', first.path);
  await eventuallyWatches(mine.id, ['beta', 'churned']);
  await manage('PUT', second.path, { url: receiver.url, types: ['audit'] });
  await eventuallyWatches(mine.id, null);
  await eventuallyWatches(theirs.id, ['vip']);
  const erasure = createErasure(createErasureStore(database.drizzle), createWebhooksStore(database.drizzle));
  await erasure.eraseProject?.(theirs.id, new AbortController().signal);
  await eventuallyWatches(theirs.id, null);
});

it('refuses cohorts without a type about them, such a type without cohorts, and more than ten of a project', async () => {
  const receiver = await delivery.receiver();
  const { id } = await delivery.createProject();
  const put = (name: string, more: object) =>
    manage('PUT', `/projects/${id}/webhooks/${name}`, { url: receiver.url, ...BOTH, ...more });
  for (const body of [{}, { types: ['audit'], cohorts: ['vip'] }, { cohorts: ['vip', 'vip'] }])
    expect(await put('a', body)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('cohorts') } },
    });
  const names = (count: number) => Array.from({ length: count }, (_, index) => `cohort-${index}`);
  expect((await put('a', { cohorts: names(10) })).status).toBe(200);
  expect((await put('b', { cohorts: names(9) })).status).toBe(200);
  expect(await put('b', { cohorts: ['another'] })).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('up to 10 different cohorts') } },
  });
  expect((await manage('GET', `/projects/${id}/webhooks/b`)).body.cohorts).toEqual(names(9));
});

it('sends people who enter and leave to the webhooks of the cohort, once however often they are published', async () => {
  const [receiver, other] = [await delivery.receiver(), await delivery.receiver()];
  const { id } = await delivery.createProject();
  const before = new Date().toISOString();
  const { path } = await delivery.createWebhook(id, receiver, { ...BOTH, cohorts: ['vip'] });
  await delivery.createWebhook(id, other, { types: ['cohort.left'], events: [], cohorts: ['vip', 'beta'] });
  const at = new Date().toISOString();
  for (const _ of [1, 2]) await publish(id, 'vip', { at, entered: ['ada', 'bob'], left: ['eve'] });
  await publish(id, 'beta', { at, entered: ['ada'], left: ['bob'] });
  await publish(id, 'vip', { at: before, entered: ['too early'] });
  await publish(id, 'vip', { at, left: ['ada'] });
  const sentTo = ({ requests }: typeof receiver) =>
    requests.map(({ json: { type, data } }) => `${type} ${data.cohortId} ${data.distinctId}`).toSorted();
  await eventually(() => {
    expect(sentTo(receiver)).toEqual([
      'cohort.entered vip ada',
      'cohort.entered vip bob',
      'cohort.left vip ada',
      'cohort.left vip eve',
    ]);
    expect(sentTo(other)).toEqual(['cohort.left beta bob', 'cohort.left vip ada', 'cohort.left vip eve']);
  });
  expect(receiver.requests[0]?.json).toEqual({
    type: expect.stringMatching(/^cohort/),
    timestamp: at,
    data: { projectId: id, cohortId: 'vip', distinctId: expect.any(String) },
  });
  expect((await manage('GET', `${path}/messages`)).body.messages).toHaveLength(4);
});

it('shows the state of each cohort of a webhook, and keeps the last comparison after a failure', async () => {
  const receiver = await delivery.receiver();
  const { id } = await delivery.createProject();
  const { path } = await delivery.createWebhook(id, receiver, { ...BOTH, cohorts: ['vip', 'beta'] });
  const watched = async () => (await manage('GET', path)).body.watched;
  const unknown = { cohort: 'beta', members: null, comparedAt: null, failure: null };
  expect(await watched()).toEqual([{ ...unknown, cohort: 'vip' }, unknown]);
  const at = new Date().toISOString();
  await publish(id, 'vip', { at });
  await publish(id, 'other', { at });
  await publish(id, 'vip', { failure: 'The project has no cohort with this id.' });
  const failed = { cohort: 'vip', members: 2, comparedAt: at, failure: expect.stringContaining('no cohort') };
  await eventually(async () => expect(await watched()).toEqual([failed, unknown]));
  expect(await database.sql`select cohort_id from cohort_states where project_id = ${id}`).toHaveLength(1);
  await manage('PUT', path, { url: receiver.url, ...BOTH, cohorts: ['beta'] });
  await manage('PUT', path, { url: receiver.url, ...BOTH, cohorts: ['vip'] });
  expect(await watched()).toEqual([{ ...unknown, cohort: 'vip' }]);
});
