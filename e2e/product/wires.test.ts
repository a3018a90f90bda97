import RudderAnalytics from '@rudderstack/rudder-sdk-node';
import { Analytics } from '@segment/analytics-node';
import { createClient } from '@switchboard/management';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { archivedEvents } from './testing/archived.ts';
import { faultyLink } from './testing/faulty-link.ts';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();

beforeAll(async () => {
  const { management_url, project_id: projectId, tokens } = running.demo;
  const management = createClient({ url: management_url, token: tokens.operator });
  const { id: _, ...project } = await management.call('getProject', { params: { projectId } });
  await management.call('putProject', { params: { projectId }, body: { ...project, wires: ['segment'] } });
});

/** Returns a person as analytics knows them. */
async function person(distinctId: string) {
  const { base_url, project_id, tokens } = running.demo;
  const answer = await fetch(`${base_url}/v1/projects/${project_id}/people/${distinctId}`, {
    headers: { Authorization: `Bearer ${tokens.owner}` },
  });
  const { ids, traits, groups, events } = Object(await answer.json());
  return { ids: ids.map((one: { distinctId: string }) => one.distinctId).sort(), traits, groups, events };
}

/** Expects each of these events in the archive once. */
async function expectArchivedOnce(ids: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const archived = await archivedEvents(running.home, running.demo.project_id);
      expect(ids.filter((id) => archived.get(id) !== 1)).toEqual([]);
    },
    { withinMs: 60_000 },
  );
}

describe('the SDKs of Segment and RudderStack', () => {
  test('@segment/analytics-node has each event archived once when the server is busy and responses are lost', async () => {
    const link = await faultyLink(running.demo.eu_api_url);
    onTestFinished(link.close);
    const analytics = new Analytics({
      writeKey: running.demo.project_key,
      host: link.url,
      path: '/segment/v1/batch',
      flushAt: 20,
      flushInterval: 100,
      httpRequestTimeout: 2_000,
    });
    const ids: string[] = [];
    analytics.on('track', ({ event }) => ids.push(event.messageId ?? ''));
    const failures: unknown[] = [];
    analytics.on('error', (failure) => failures.push(failure));
    const track = (from: number) => {
      for (let n = from; n < from + 100; n++)
        analytics.track({ userId: `segment-${n % 7}`, event: 'Order Completed', properties: { n } });
    };
    link.fault = 'busy';
    track(0);
    await eventually(() => expect(link.arrivals.length).toBeGreaterThan(0));
    link.fault = 'lost';
    track(100);
    await eventually(() => expect(link.arrivals.some(({ fault }) => fault === 'lost')).toBe(true));
    link.fault = undefined;
    track(200);
    await analytics.closeAndFlush({ timeout: 60_000 });
    expect([failures, new Set(ids).size]).toEqual([[], 300]);
    await expectArchivedOnce(ids);
  }, 120_000);

  test('@segment/analytics-node makes the anonymous visitor, the alias and the account one person', async () => {
    const analytics = new Analytics({
      writeKey: running.demo.project_key,
      host: running.demo.base_url,
      path: '/segment/v1/batch',
    });
    analytics.page({
      anonymousId: 'segment-visitor',
      name: 'Cart',
      properties: { url: 'https://shop.example/cart' },
    });
    analytics.identify({ userId: 'segment-ada', anonymousId: 'segment-visitor', traits: { plan: 'pro' } });
    analytics.alias({ userId: 'segment-ada', previousId: 'segment-old' });
    analytics.group({ userId: 'segment-ada', groupId: 'acme', traits: { seats: 4 } });
    await analytics.closeAndFlush();
    await eventually(
      async () =>
        expect(await person('segment-visitor')).toMatchObject({
          ids: ['segment-ada', 'segment-old', 'segment-visitor'],
          traits: { plan: 'pro' },
          groups: [{ type: 'company', id: 'acme', traits: { seats: 4 } }],
          events: [{ name: 'page viewed', properties: { url: 'https://shop.example/cart', name: 'Cart' } }],
        }),
      { withinMs: 60_000 },
    );
  }, 90_000);

  test('@rudderstack/rudder-sdk-node sends gzipped batches to the same address', async () => {
    const rudder = new RudderAnalytics(running.demo.project_key, {
      dataPlaneUrl: `${running.demo.base_url}/segment`,
      flushAt: 5,
      flushInterval: 100,
    });
    const ids = Array.from({ length: 25 }, (_, n) => `rudder-message-${n}`);
    for (const [n, messageId] of ids.entries()) {
      const message = { userId: `rudder-${n % 3}`, event: 'Order Completed', messageId, properties: { n } };
      rudder.track(message);
    }
    rudder.identify({ userId: 'rudder-0', anonymousId: 'rudder-visitor', traits: { plan: 'pro' } });
    await rudder.flush();
    await expectArchivedOnce(ids);
    await eventually(
      async () =>
        expect(await person('rudder-visitor')).toMatchObject({
          ids: ['rudder-0', 'rudder-visitor'],
          traits: { plan: 'pro' },
        }),
      { withinMs: 60_000 },
    );
  }, 120_000);
});
