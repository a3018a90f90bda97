import { gzipSync } from 'node:zlib';
import { call, type RunningInstance, startRedis } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { batch, event, KEY, OTHER_KEY, startIngestion, type TestIngestion } from './testing/service.ts';

const redis = await startRedis();

describe('a quota of 20,000 bytes a second', () => {
  let ingestion: TestIngestion;
  let instance: RunningInstance;
  beforeAll(async () => {
    ingestion = await startIngestion();
  });
  afterAll(async () => {
    await ingestion.stop();
    await redis?.kill();
  });

  const start = (env: Record<string, string>) =>
    ingestion.start({ TRUSTED_PROXY_HOPS: '1', ...env }).then((started) => (instance = started));
  interface Sender {
    key?: string | undefined;
    address?: string;
    path?: string;
  }
  const post = (body: unknown, { key = KEY, address = '192.0.2.1', path = '/v1/events' }: Sender = {}) =>
    call('POST', `${instance.url}${path}`, {
      body,
      headers: { 'X-Forwarded-For': address, ...(key && { Authorization: `Bearer ${key}` }) },
    });
  const large = () => batch([event({ properties: { text: 'x'.repeat(150_000) } })]);
  const rejections = async (quota: string, by: string) => {
    const text = await (await fetch(`${instance.url}/metrics`)).text();
    return Number(
      new RegExp(`switchboard_quota_rejections_total\\{[^}]*quota="${quota}",by="${by}"[^}]*\\} (\\d+)`).exec(
        text,
      )?.[1] ?? 0,
    );
  };

  describe('the quota of a project', () => {
    beforeEach(() => start({ BYTES_PER_PROJECT_PER_SECOND: '20000' }));

    it('answers 429 with Retry-After to a project over quota from any address, and serves others', async () => {
      expect((await post(large())).status).toBe(202);
      const refused = await post(batch([event()]), { address: '198.51.100.1' });
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-6]$/);
      expect(refused.body).toMatchObject({ statusCode: 429, error: 'Too Many Requests' });
      const inBody = { ...batch([event()]), api_key: KEY };
      expect((await post(inBody, { key: '', address: '198.51.100.1' })).status).toBe(429);
      expect((await post({ distinct_id: 'ada' }, { path: '/v1/identify' })).status).toBe(429);
      expect((await post(batch([event()]), { key: OTHER_KEY })).status).toBe(202);
      expect(await rejections('events', 'project')).toBe(3);
      await expect.poll(async () => (await post(batch([event()]))).status, { timeout: 15_000 }).toBe(202);
    });

    it('counts replay chunks apart, and answers them with 429 without a body', async () => {
      const chunk = {
        ...{ distinct_id: 'ada', session_id: 's', seq: 0, masked: true, schema_version: 1 },
        timestamp: '2026-03-01T09:30:00.000Z',
        events: ['x'.repeat(150_000)],
      };
      expect((await post(chunk, { path: '/v1/replay' })).status).toBe(202);
      expect(await post(chunk, { path: '/v1/replay' })).toMatchObject({ status: 429, body: undefined });
      expect((await post(batch([event()]))).status).toBe(202);
      expect(await rejections('replays', 'project')).toBe(1);
    });

    it('counts the decompressed size of a body', async () => {
      const headers = { Authorization: `Bearer ${KEY}`, 'Content-Encoding': 'gzip' };
      const send = () =>
        call('POST', `${instance.url}/v1/events`, { body: gzipSync(JSON.stringify(large())), headers });
      expect((await send()).status).toBe(202);
      expect((await send()).status).toBe(429);
    });
  });

  describe('the quota of an address', () => {
    beforeEach(() => start({ BYTES_PER_ADDRESS_PER_SECOND: '20000' }));

    it('answers 429 to the whole IPv6 network of an address for any key, also invalid ones, and serves others', async () => {
      expect((await post(large(), { address: '2001:db8::1' })).status).toBe(202);
      const elsewhere = { address: '2001:db8::2' };
      expect((await post(batch([event()]), { ...elsewhere, key: OTHER_KEY })).status).toBe(429);
      expect((await post(batch([event()]), { ...elsewhere, key: 'nonsense' })).status).toBe(429);
      expect((await post(batch([event()]), { address: '2001:db8:0:1::1' })).status).toBe(202);
      expect(await rejections('events', 'address')).toBe(2);
    });

    it('counts the values of a body, since parsing them costs more than their bytes', async () => {
      const list = Array.from({ length: 3_000 }, () => 1);
      expect((await post(batch([event({ properties: { list } })]))).status).toBe(202);
      expect((await post(batch([event()]))).status).toBe(429);
    });

    it('counts bodies without a valid key', async () => {
      expect((await post(`[${'1,'.repeat(30_000)}1]`, { key: '' })).status).toBe(401);
      expect((await post(batch([event()]))).status).toBe(429);
    });
  });

  it.skipIf(redis === undefined)(
    'counts the quota across all instances through Redis, or in each without it',
    async () => {
      const env = {
        TRUSTED_PROXY_HOPS: '1',
        BYTES_PER_PROJECT_PER_SECOND: '20000',
        REDIS_URL: redis?.url ?? '',
      };
      const [one, other] = [await ingestion.start(env), await ingestion.start(env)];
      const to = async ({ url }: RunningInstance, body: unknown) =>
        (await call('POST', `${url}/v1/events`, { body, token: KEY })).status;
      // Twenty times the burst, so that the quota takes 38 s to recover.
      const huge = batch([event({ properties: { text: 'x'.repeat(800_000) } })]);
      expect([await to(one, huge), await to(one, batch([event()]))]).toEqual([202, 429]);
      await expect.poll(() => to(other, batch([event()])), { timeout: 10_000 }).toBe(429);

      await redis?.kill();
      const alone = await ingestion.start(env);
      expect([await to(alone, huge), await to(alone, batch([event()]))]).toEqual([202, 429]);
    },
  );
});
