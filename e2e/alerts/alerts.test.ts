import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { archiveService } from '@switchboard/service-archive';
import { catalogueService } from '@switchboard/service-catalogue';
import { ingestionService } from '@switchboard/service-ingestion';
import { eventually, freePort, openHarness } from '@switchboard/testkit';
import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { createShop } from '../harness/project.ts';

/** A drop in the shop, until its webhook has the alert. Analytics and delivery are processes that are killed. */

const DAY_MS = 24 * 3_600_000;
const WITHIN = { withinMs: 60_000 };

const harness = await openHarness({
  services: { catalogue: catalogueService, ingestion: ingestionService, archive: archiveService },
  env: {
    LOG_LEVEL: 'error',
    WEBHOOK_PRIVATE_NETWORKS: '127.0.0.1/32',
    ARCHIVE_FILE_SECONDS: '6',
  },
});
afterAll(() => harness.stop());
// biome-ignore lint/suspicious/noExplicitAny: the test states what it expects of a body.
const received: any[] = [];
const port = await freePort();
const receiver = createServer(async (request, response) => {
  received.push(await json(request));
  response.writeHead(204).end();
}).listen(port, '127.0.0.1');
harness.defer(async () => receiver.close());

await harness.start('catalogue');
await harness.start('ingestion');
await harness.start('archive');
const processes = ['analytics', 'delivery'].map((name) => harness.spawn(name, { readyWithinMs: 180_000 }));
const [analytics, delivery] = await Promise.all(processes);
if (analytics === undefined || delivery === undefined) throw new Error('not started');

const { manage, key } = await createShop(harness);
await manage('catalogue', 'PUT', '/companies/acme/members/ada', { name: 'Ada', email: 'ada@acme.example' });
await manage('delivery', 'PUT', '/projects/shop/webhooks/alerts', {
  url: `http://127.0.0.1:${port}/hook`,
  types: ['alert.fired', 'alert.recovered'],
});

const query = {
  kind: 'trends',
  range: { last: 4, unit: 'day' },
  interval: 'day',
  series: [{ event: 'order placed' }],
};
const DROP = { name: 'Orders drop', query, rule: { kind: 'change', direction: 'down', percent: 50 } };
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;

/** Sends orders of the day this many days ago. */
async function order(count: number, daysAgo: number): Promise<void> {
  const events = Array.from({ length: count }, (_, index) => ({
    distinct_id: 'ada',
    event_id: `order ${daysAgo} ${index}`,
    event_name: 'order placed',
    schema_version: 1,
    timestamp: new Date(today - daysAgo * DAY_MS + index).toISOString(),
  }));
  await eventually(async () => {
    const answer = await harness.call('ingestion', 'POST', '/v1/events', {
      token: key,
      body: { sent_at: new Date().toISOString(), events },
    });
    if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
  }, WITHIN);
}

async function waitForOrders(count: number): Promise<void> {
  const token = await harness.mint({ sub: 'ada' });
  await eventually(async () => {
    const { body } = await harness.call('analytics', 'POST', '/v1/projects/shop/insights', {
      token,
      body: query,
    });
    const values: number[] = body.report.series[0].values;
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(count);
  }, WITHIN);
}

const sent = () => received.map(({ type, data }) => `${type} ${data.alertId}`);

it('sends an alert to a webhook within a minute of a planted drop, once although analytics is killed', async () => {
  await order(80, 2);
  await order(8, 1);
  await waitForOrders(88);
  const sql = postgres(await harness.databaseUrl('analytics'), { max: 1, onnotice: () => undefined });
  // Nothing publishes while the test holds the lock of the publisher.
  await sql`select pg_advisory_lock(hashtextextended('publish alerts', 7))`;
  await manage('analytics', 'PUT', '/projects/shop/alerts/drop', DROP);
  await eventually(async () => {
    const [row] = await sql`select count(*)::int as waiting from unpublished_alerts`;
    expect(row?.['waiting']).toBe(1);
  }, WITHIN);
  await analytics.kill();
  expect(sent()).toEqual([]);
  await sql.end();
  await analytics.restart();
  await eventually(() => expect(sent()).toEqual(['alert.fired drop']), WITHIN);
  expect(received[0]?.data).toMatchObject({ projectId: 'shop', expected: 80, value: 8 });

  await delivery.kill();
  await manage('analytics', 'PUT', '/projects/shop/alerts/drop', { ...DROP, enabled: false });
  await manage('analytics', 'PUT', '/projects/shop/alerts/second', DROP);
  await delivery.restart();
  await eventually(
    () =>
      expect(sent().toSorted()).toEqual(['alert.fired drop', 'alert.fired second', 'alert.recovered drop']),
    WITHIN,
  );
}, 400_000);
