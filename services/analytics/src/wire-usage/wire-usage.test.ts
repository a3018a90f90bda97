import {
  WIRE_USAGE_TOPIC,
  type WireUsage,
  type WireUsageRecord,
  wireUsageSpec,
} from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRejectionsStore } from '../rejections/store.ts';
import { useAnalytics } from '../testing/service.ts';
import { createWireUsageStore, oldWireUsage } from './store.ts';

const HOUR_MS = 3_600_000;
const analytics = await useAnalytics();
const database = openDatabase({ url: analytics.databaseUrl, applicationName: 'test' });
afterAll(() => database.close());
beforeAll(async () => {
  await analytics.directory.putProject({ id: 'shop', members: ['ada'], wires: ['segment'] });
  for (const id of ['blog', 'many']) await analytics.directory.putProject({ id, members: ['ada'] });
  await analytics.log.createTopics([wireUsageSpec(1)]);
});

type Count = WireUsageRecord['counts'][number];
const node = { sdk: '@segment/analytics-node', version: '3.1.0' };
const segment = (requests: number, more: Partial<Count> = {}): Count => ({
  ...{ wire: 'segment', sdk: '', version: '', requests, events: 10 * requests, ...more },
});
const of = (projectId: string, hoursAgo: number, ...counts: Count[]): WireUsageRecord => ({
  projectId,
  at: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString(),
  counts,
});

async function publish(...values: unknown[]): Promise<void> {
  const records = values.map((value) => ({
    ...{ partition: 0, key: null, value: Buffer.from(JSON.stringify(value)), headers: {} },
  }));
  await analytics.log.publish(WIRE_USAGE_TOPIC, records);
  await eventually(async () => {
    const lags = await analytics.log.lag('analytics.wire-usage', [WIRE_USAGE_TOPIC]);
    expect(lags.map(({ behind }) => behind)).toEqual([0n]);
  });
}

async function list(projectId: string): Promise<Record<string, WireUsage>> {
  const { status, body } = await analytics.call('GET', `/v1/projects/${projectId}/wire-usage`);
  expect(status, JSON.stringify(body)).toBe(200);
  const { wires } = body as { wires: WireUsage[] };
  expect(wires.map(({ wire }) => wire)).toEqual(['switchboard', 'segment', 'unleash', 'posthog']);
  return Object.fromEntries(wires.map((one) => [one.wire, one]));
}

it('lists the requests, events and SDKs of a day and a week by wire, and why something was not kept', async () => {
  await publish(
    of('shop', 200, segment(1_000, node)),
    of('shop', 100, segment(8, node)),
    of('shop', 1, segment(4, node), segment(1)),
    'no counts',
    of('shop', 1, segment(2, node)),
    of('blog', 0, segment(16)),
  );
  const reason = { status: 400, reason: 'context.ip: not kept', requests: 3 };
  await createRejectionsStore(database.drizzle).add({
    ...{ projectId: 'shop', at: new Date().toISOString() },
    reasons: [
      { operation: 'segmentCall', ...reason },
      { operation: 'ingestEvents', ...reason, reason: 'events: required' },
    ],
  });
  const { segment: found, switchboard, unleash } = await list('shop');
  expect(found).toMatchObject({
    ...{ on: true, requests: { day: 7, week: 15 }, events: { day: 70, week: 150 } },
    lastSeenAt: expect.any(String),
    sdks: [{ name: node.sdk, version: node.version, requests: 14 }],
    losses: [{ operation: 'segmentCall', ...reason }],
  });
  const nothing = { requests: { day: 0, week: 0 }, events: { day: 0, week: 0 }, lastSeenAt: null, sdks: [] };
  expect(switchboard).toMatchObject({ on: true, ...nothing, losses: [{ operation: 'ingestEvents' }] });
  expect(unleash).toEqual({ wire: 'unleash', on: false, ...nothing, losses: [] });
});

it('counts SDKs beyond about 60 of a project and day as unknown', async () => {
  const sdks = Array.from({ length: 100 }, (_, n) => ({ sdk: 'web', version: `1.${n}` }));
  for (let start = 0; start < sdks.length; start += 20)
    await publish(of('many', 0, ...sdks.slice(start, start + 20).map((sdk) => segment(1, sdk))));
  await publish(of('many', 0, segment(1, sdks[0]), segment(1, sdks[99])));
  const rows = await createWireUsageStore(database.drizzle).list('many', new Date());
  expect(rows).toHaveLength(61);
  expect((await list('many'))['segment']?.requests.day).toBe(102);
});

it('removes counts after eight days, and those of a deleted project', async () => {
  await publish(of('blog', 24 * 20, segment(1)));
  const old = oldWireUsage(database.drizzle);
  const before = new Date(Date.now() - (old.days ?? 0) * 24 * HOUR_MS);
  expect((await old.oldest())?.getTime()).toBeLessThan(before.getTime());
  await old.removeBefore(before);
  const store = createWireUsageStore(database.drizzle);
  expect(await store.list('blog', new Date(0))).toHaveLength(1);
  await store.removeProject('blog');
  expect(await store.list('blog', new Date(0))).toEqual([]);
  expect(await store.list('shop', new Date(0))).not.toEqual([]);
});
