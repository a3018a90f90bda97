import { call, startRedis } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { batch, event, KEY, OTHER_KEY, startIngestion, type TestIngestion } from '../testing/service.ts';

const redis = await startRedis();

let ingestion: TestIngestion;
beforeAll(async () => {
  ingestion = await startIngestion();
});
afterAll(async () => {
  await ingestion.stop();
  await redis?.kill();
});
beforeEach(async () => {
  await ingestion.allow(undefined);
  await expect.poll(async () => (await send()).body).toEqual({ accepted: 1 });
  for (const topic of TOPICS) await ingestion.published(topic);
});

const TOPICS = ['events', 'identifies', 'groups', 'replays'];
const CHUNK = {
  ...{ distinct_id: 'ada', session_id: 's', seq: 0, masked: true, schema_version: 1 },
  timestamp: '2026-03-01T09:30:00.000Z',
  events: [{}],
};
const send = (events = [event()], headers?: Record<string, string>) =>
  ingestion.post('/v1/events', batch(events), headers);
const ofOthers = { Authorization: `Bearer ${OTHER_KEY}` };

it('refuses events of a throttled project past its rate with 429 and Retry-After, and accepts those of others', async () => {
  await ingestion.allow(10);
  // A burst of two seconds is allowed, and the batch that exceeds it counts too.
  await expect.poll(async () => (await send(Array.from({ length: 100 }, () => event()))).status).toBe(429);
  const refused = await send();
  expect(refused).toMatchObject({ status: 429, body: { statusCode: 429, error: 'Too Many Requests' } });
  expect(Object(refused.body).message).toContain('limits this project to 10 events per second');
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(60);
  const inBody = { ...batch([event()]), api_key: KEY };
  expect((await ingestion.post('/v1/events', inBody, {})).status).toBe(429);
  expect((await ingestion.post('/v1/identify', { distinct_id: 'ada' })).status).toBe(429);
  expect((await ingestion.post('/v1/group', { properties: {} })).status).toBe(429);
  expect((await ingestion.post('/v1/replay', CHUNK)).status).toBe(429);
  expect((await send([event()], ofOthers)).status).toBe(202);
  const metrics = await (await fetch(`${ingestion.url}/metrics`)).text();
  expect(metrics).toMatch(
    /switchboard_throttled_requests_total\{project="project-1",outcome="refused"[^}]*\} [1-9]/,
  );
});

it('accepts one of many batches that arrive together', async () => {
  await ingestion.allow(0);
  await expect.poll(async () => (await send()).body).toEqual({ accepted: 0 });
  await ingestion.allow(2);
  await expect.poll(async () => (await send()).body).toEqual({ accepted: 1 });
  const large = () => send(Array.from({ length: 200 }, () => event()));
  const answers = await Promise.all(Array.from({ length: 20 }, large));
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(19);
});

it('applies a higher rate, or none, at once', async () => {
  await ingestion.allow(1);
  await expect.poll(async () => (await send(Array.from({ length: 500 }, () => event()))).status).toBe(429);
  await ingestion.allow(100_000);
  await expect.poll(async () => (await send()).status).toBe(202);
});

it('answers a project with dropped events as accepted, and stores nothing', async () => {
  await ingestion.allow(0);
  await expect.poll(async () => (await send()).body).toEqual({ accepted: 0 });
  for (const topic of TOPICS) await ingestion.published(topic);
  const none = { status: 202, body: { accepted: 0 } };
  expect(await send()).toMatchObject(none);
  expect(await ingestion.post('/v1/events', { ...batch([event()]), api_key: KEY }, {})).toMatchObject(none);
  expect(await ingestion.post('/v1/identify', { distinct_id: 'ada' })).toMatchObject(none);
  const group = await ingestion.post('/v1/group', { distinct_id: 'ada', properties: { group_id: 'a' } });
  expect(group).toMatchObject(none);
  expect(group.headers.get('x-state-token')).toBeNull();
  expect(await ingestion.post('/v1/replay', CHUNK)).toMatchObject({ status: 202, body: undefined });
  // Answered before the body is read, so that a flood costs as little as possible.
  expect(await ingestion.post('/v1/events', 'no JSON')).toMatchObject(none);
  expect((await send([event()], ofOthers)).body).toEqual({ accepted: 1 });
  expect(await ingestion.published('events')).toHaveLength(1);
  for (const topic of TOPICS.slice(1)) expect(await ingestion.published(topic)).toEqual([]);
});

it.skipIf(redis === undefined)('counts a rate across instances with Redis', async () => {
  const env = { REDIS_URL: redis?.url ?? '' };
  const [one, two] = await Promise.all([ingestion.start(env), ingestion.start(env)]);
  const post = (url: string, count: number) =>
    call('POST', `${url}/v1/events`, {
      body: batch(Array.from({ length: count }, () => event())),
      headers: { Authorization: `Bearer ${KEY}` },
    });
  await ingestion.allow(20);
  await expect.poll(async () => (await post(one.url, 500)).status).toBe(429);
  await expect.poll(async () => (await post(two.url, 1)).status, { timeout: 15_000 }).toBe(429);
});
