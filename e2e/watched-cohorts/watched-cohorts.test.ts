import { catalogueService } from '@switchboard/service-catalogue';
import { flagsService } from '@switchboard/service-flags';
import { ingestionService } from '@switchboard/service-ingestion';
import { eventually, openHarness, startReceiver } from '@switchboard/testkit';
import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { createShop } from '../harness/project.ts';

/** People who enter and leave a cohort, until a webhook has them. Analytics and delivery are killed. */

const WITHIN = { withinMs: 60_000 };

const harness = await openHarness({
  services: { catalogue: catalogueService, ingestion: ingestionService, flags: flagsService },
  env: {
    LOG_LEVEL: 'error',
    WEBHOOK_PRIVATE_NETWORKS: '127.0.0.1/32',
  },
});
afterAll(() => harness.stop());
const receiver = await startReceiver();
harness.defer(receiver.close);

for (const name of ['catalogue', 'ingestion', 'flags'] as const) await harness.start(name);
const [analytics, delivery, archive] = await Promise.all(
  ['analytics', 'delivery', 'archive'].map((name) => harness.spawn(name, { readyWithinMs: 180_000 })),
);
if (analytics === undefined || delivery === undefined || archive === undefined)
  throw new Error('not started');
const sql = postgres(await harness.databaseUrl('analytics'), { max: 1, onnotice: () => undefined });
harness.defer(() => sql.end());

const { manage, key } = await createShop(harness);

/** Sets the plan of people, and waits until analytics has it. */
async function identify(plans: Record<string, string>): Promise<void> {
  for (const [distinctId, to] of Object.entries(plans)) {
    await eventually(async () => {
      const body = { distinct_id: distinctId, properties: { plan: to }, timestamp: new Date().toISOString() };
      const answer = await harness.call('ingestion', 'POST', '/v1/identify', { token: key, body });
      if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
    }, WITHIN);
  }
  await eventually(async () => {
    const rows = await sql`
      select distinct_id, traits ->> 'plan' as plan from people join seen_people using (project_id, distinct_id)`;
    expect(Object.fromEntries(rows.map((row) => [row['distinct_id'], row['plan']]))).toMatchObject(plans);
  }, WITHIN);
}

const compareNow = () => sql`update watched_cohorts set due_at = 'epoch'`;
const sent = () => receiver.requests.map(({ json }) => `${json.type} ${json.data.distinctId}`).toSorted();

it('sends who enters and leaves a cohort after a webhook watches it, once although processes are killed', async () => {
  await identify({ ada: 'pro', bob: 'free' });
  const match = [{ attribute: 'plan', op: 'eq', value: 'pro' }];
  await manage('flags', 'PUT', '/projects/shop/cohorts/paying', { name: 'Paying', match });
  await manage('delivery', 'PUT', '/projects/shop/webhooks/crm', {
    url: receiver.url,
    types: ['cohort.entered', 'cohort.left'],
    cohorts: ['paying', 'unknown'],
  });
  const watched = async () => (await manage('delivery', 'GET', '/projects/shop/webhooks/crm')).watched;
  await eventually(async () => {
    await compareNow();
    expect(await watched()).toEqual([
      { cohort: 'paying', members: 1, comparedAt: expect.stringMatching(/Z$/), failure: null },
      {
        ...{ cohort: 'unknown', members: null, comparedAt: null },
        failure: 'The project has no cohort with this id.',
      },
    ]);
  }, WITHIN);

  await identify({ ada: 'free', bob: 'pro' });
  // Nothing publishes while the test holds the lock of the publisher.
  const [publisher] =
    await sql`select pg_advisory_lock(hashtextextended('publish cohort-changes', 7)) as taken`;
  expect(publisher).toBeDefined();
  await compareNow();
  await eventually(async () => {
    const [row] = await sql`
      select count(*)::int as waiting from unpublished_cohort_changes where record ->> 'entered' = '["bob"]'`;
    expect(row?.['waiting']).toBe(1);
  }, WITHIN);
  await Promise.all([analytics.kill(), delivery.kill()]);
  expect(sent()).toEqual([]);
  await sql`select pg_advisory_unlock(hashtextextended('publish cohort-changes', 7))`;
  await Promise.all([analytics.restart(), delivery.restart()]);
  await eventually(() => expect(sent()).toEqual(['cohort.entered bob', 'cohort.left ada']), WITHIN);
  expect(receiver.requests[0]?.json.data).toMatchObject({ projectId: 'shop', cohortId: 'paying' });

  // Reading the records again queues no message again.
  await identify({ eve: 'pro' });
  await compareNow();
  const all = ['cohort.entered bob', 'cohort.entered eve', 'cohort.left ada'];
  await eventually(() => expect(sent()).toEqual(all), WITHIN);
  expect(await watched()).toMatchObject([{ members: 2 }, {}]);
}, 400_000);
