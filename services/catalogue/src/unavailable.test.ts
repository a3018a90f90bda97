import {
  eventually,
  type PostgresServer,
  postgresServer,
  type TestDatabase,
  testDatabase,
} from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Instance, pro, type TestCatalogue, testCatalogue } from './testing/harness.ts';

let server: PostgresServer;
let log: TestDatabase;
let catalogue: TestCatalogue;
let one: Instance;
beforeAll(async () => {
  server = await postgresServer(['catalogue']);
  log = await testDatabase();
  catalogue = await testCatalogue({ databaseUrl: server.url('catalogue'), logUrl: log.url });
  one = await catalogue.instance();
  await one.put('/plans/pro/monthly', pro);
  await one.put('/ai/markup', { markupPercent: 20 });
});
afterAll(async () => {
  await catalogue.close();
  await server.remove();
  await log.drop();
});

async function expectLastLists() {
  const plans = await one.get('/v1/plans');
  expect(plans.status).toBe(200);
  expect(plans.body.plans).toHaveLength(1);
  expect((await one.get('/v1/ai/models')).body.markupPercent).toBe(20);
}

it('serves the last lists while the database is stopped, and current ones after it is back', async () => {
  await server.stop();
  await expectLastLists();
  const refused = await one.put('/plans/other/monthly', pro);
  expect(refused.status).toBe(503);
  expect(refused.body.error.code).toBe('UNAVAILABLE');
  expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
  await server.start();
  await eventually(async () => expect((await one.put('/plans/other/monthly', pro)).status).toBe(200));
  expect((await one.get('/v1/plans')).body.plans).toHaveLength(2);
  await one.remove('/plans/other/monthly');
});

it('shows changes after lost notifications', async () => {
  await server.stop();
  await server.start();
  const sql = await catalogue.sql();
  await eventually(() => sql`update ai_markup set percent = 20`);
  await eventually(
    () =>
      sql`insert into plans (tier, cycle, trial_days, priced, entitlements) values ('late', 'monthly', 1, true, '{}')`,
  );
  await eventually(async () => expect((await one.get('/v1/plans')).body.plans).toHaveLength(2), {
    withinMs: 20_000,
  });
  await one.remove('/plans/late/monthly');
});

it('serves the last lists while the database is frozen, and recovers when it thaws', async () => {
  await server.freeze();
  await expectLastLists();
  const write = one.put('/plans/other/monthly', pro);
  await expectLastLists();
  await server.thaw();
  expect((await write).status).toBe(200);
  expect((await one.get('/v1/plans')).body.plans).toHaveLength(2);
});
