import { WIRE_USAGE_TOPIC, wireUsageRecord } from '@switchboard/contracts';
import { call } from '@switchboard/testkit';
import { afterAll, expect, it } from 'vitest';
import { batch, event, KEY, linesOf, OTHER_KEY, PROJECT, startIngestion } from './testing/service.ts';

const ingestion = await startIngestion();
afterAll(() => ingestion.stop());

it('publishes how many requests and events of each wire and SDK it accepted, without those that it rejected', async () => {
  const { url, stop } = await ingestion.start();
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    call('POST', `${url}${path}`, { body, headers });
  const ours = { Authorization: `Bearer ${KEY}` };
  const context = { sdk: 'browser', sdk_version: '0.1.0' };
  const library = { name: '@segment/analytics-node', version: '3.1.0' };
  const track = { type: 'track', event: 'paid', userId: 'ada' };
  const captured = {
    event: 'paid',
    distinct_id: 'ada',
    properties: { $lib: 'web', $lib_version: '1.449.2' },
  };
  const answers = await Promise.all([
    post('/v1/events', batch([event({ context }), event()]), ours),
    post('/v1/events', batch([event({ context })]), ours),
    post('/v1/events', batch([event()]), ours),
    post('/v1/events', batch([{}]), ours),
    post('/v1/identify', { distinct_id: 'ada', timestamp: '2026-03-01T09:30:00.000Z' }, ours),
    post('/segment/v1/batch', { writeKey: KEY, batch: [{ ...track, context: { library } }, track] }),
    post('/segment/v1/track', { writeKey: KEY, ...track, context: { library: { name: '<script>' } } }),
    post('/segment/v1/track', { writeKey: OTHER_KEY, ...track }),
    post('/posthog/batch/', { api_key: KEY, batch: [captured, captured, captured] }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 400, 202, 200, 200, 403, 200]);
  await stop();
  const records = linesOf(await ingestion.published(WIRE_USAGE_TOPIC)).map((value) =>
    wireUsageRecord.parse(value),
  );
  const counts = records.flatMap(({ projectId, counts: found }) =>
    found.map((one) => [projectId, one.wire, one.sdk, one.version, one.requests, one.events].join(' ')),
  );
  expect(counts.sort()).toEqual([
    `${PROJECT} posthog web 1.449.2 1 3`,
    `${PROJECT} segment   1 1`,
    `${PROJECT} segment @segment/analytics-node 3.1.0 1 2`,
    `${PROJECT} switchboard   2 2`,
    `${PROJECT} switchboard browser 0.1.0 2 3`,
  ]);
});
