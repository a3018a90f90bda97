import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createLogger, createMetrics, openRedis } from '@switchboard/runtime';
import { eventually, freePort } from '@switchboard/testkit';
import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RateLimited } from '../exchange/errors.ts';
import { takeShared } from './quota.ts';
import { createRateLimits, type RateLimit } from './rate-limits.ts';
import { memoryWindow } from './sliding-window.ts';

async function taken(limit: RateLimit, key: string, tries: number): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: tries }, () => limit.consume(key)));
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(RateLimited);
  }
  return results.filter(({ status }) => status === 'fulfilled').length;
}

const ADDRESS_AND_LINK = [
  { name: 'address', points: 3, durationSeconds: 60 },
  { name: 'link', points: 5, durationSeconds: 60 },
] as const;

/** Expects that an address without points takes no points of the link. */
async function expectInOrder(limits: ReturnType<typeof createRateLimits>): Promise<void> {
  const limit = limits(...ADDRESS_AND_LINK);
  async function reads(address: string, tries: number): Promise<string[]> {
    const outcomes = [];
    for (let count = 0; count < tries; count++) {
      const read = limit.consume(address, 'link').then(() => 'read');
      outcomes.push(await read.catch(({ message }) => message));
    }
    return outcomes;
  }
  const refused = (name: string) => expect.stringContaining(`(${name})`);
  expect(await reads('a', 5)).toEqual(['read', 'read', 'read', refused('address'), refused('address')]);
  expect(await reads('b', 4)).toEqual(['read', 'read', refused('link'), refused('address')]);
}

describe('a window in memory', () => {
  it('allows at most its limit in any window, and allows a request as soon as one expires', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), gaps, (points, pauses) => {
        let now = 0;
        const take = memoryWindow({ points, milliseconds: 100 }, () => now);
        const given: number[] = [];
        for (const pause of pauses) {
          now += pause;
          const recent = given.filter((time) => time > now - 100);
          const wait = take('k');
          if (recent.length < points) {
            expect(wait).toBe(0);
            given.push(now);
          } else {
            expect(wait).toBe((recent[0] ?? 0) + 100 - now);
          }
        }
      }),
    );
  });

  it('counts each key separately', async () => {
    const limit = createRateLimits(undefined)({ name: 'test', points: 3, durationSeconds: 60 });
    expect([await taken(limit, 'a', 5), await taken(limit, 'b', 2)]).toEqual([3, 2]);
  });

  it('consumes the windows of a request in order, as far as the first that is used up', async () => {
    await expectInOrder(createRateLimits(undefined));
  });

  it('returns when a refused request may be retried', async () => {
    const limit = createRateLimits(undefined)({ name: 'test', points: 1, durationSeconds: 60 });
    await limit.consume('a');
    await expect(limit.consume('a')).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '60' } });
  });
});

const hasRedis = await canRun('redis-server');
if (!hasRedis && process.env['REQUIRE_BACKINGS'] === '1') throw new Error('redis-server is not installed');

describe.skipIf(!hasRedis)('windows in Redis', () => {
  let server: ChildProcess;
  let port: number;
  const clients: Redis[] = [];
  const metrics = createMetrics('test');

  async function start(): Promise<void> {
    server = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
      stdio: 'ignore',
    });
    await once(server, 'spawn');
  }

  async function client(): Promise<Redis> {
    const redis = openRedis(`redis://127.0.0.1:${port}`, {
      logger: createLogger({ service: 'test', level: 'silent' }),
      metrics,
    });
    clients.push(redis);
    await eventually(() => redis.ping());
    return redis;
  }

  beforeAll(async () => {
    port = await freePort();
    await start();
  });
  afterAll(async () => {
    for (const redis of clients) redis.disconnect();
    server.kill('SIGKILL');
  });

  it('shares windows among instances, even with concurrent requests', async () => {
    const options = { name: 'shared', points: 20, durationSeconds: 60 };
    const [one, two] = [createRateLimits(await client())(options), createRateLimits(await client())(options)];
    const counts = await Promise.all([taken(one, 'k', 30), taken(two, 'k', 30)]);
    expect(counts[0] + counts[1]).toBe(20);
  });

  it('consumes the windows of a request in Redis in order and in one round trip', async () => {
    const redis = await client();
    await expectInOrder(createRateLimits(redis));
    const calls = async () => Number(/evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
    const before = await calls();
    await createRateLimits(redis)(...ADDRESS_AND_LINK).consume('c', 'other');
    expect(await calls()).toBe(before + 1);
    expect(await metrics.registry.metrics()).toMatch(
      /switchboard_dependency_call_duration_seconds_count\{dependency="redis",operation="evalsha",outcome="ok"/,
    );
  });

  it('refuses used-up windows without asking Redis, until the oldest point leaves the window', async () => {
    const redis = await client();
    const limit = createRateLimits(redis)({ name: 'remembered', points: 2, durationSeconds: 0.5 });
    expect(() => limit.refuseExhausted('k')).not.toThrow();
    expect(await taken(limit, 'k', 3)).toBe(2);
    const calls = async () => Number(/evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
    const before = await calls();
    expect(() => limit.refuseExhausted('k')).toThrow(RateLimited);
    expect(await taken(limit, 'k', 10)).toBe(0);
    expect(await calls()).toBe(before);
    expect(() => limit.refuseExhausted('other')).not.toThrow();
    await eventually(() => limit.consume('k'));
  });

  it('counts concurrent requests separately in few round trips', async () => {
    const redis = await client();
    const limit = createRateLimits(redis)(...ADDRESS_AND_LINK);
    const calls = async () => Number(/evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
    await limit.consume('warm', 'warm');
    const before = await calls();
    const reads = Array.from({ length: 40 }, (_, index) =>
      limit.consume(`address-${index % 4}`, 'busy link'),
    );
    const outcomes = await Promise.allSettled(reads);
    expect((await calls()) - before).toBeLessThanOrEqual(2);
    const messages = outcomes.map((one) => (one.status === 'fulfilled' ? 'read' : one.reason.message));
    // The link has five points, and each of the four addresses has three.
    expect(messages.map((message) => /\((.*)\)/.exec(message)?.[1] ?? message)).toEqual(
      reads.map((_, index) => (index < 5 ? 'read' : index < 12 ? 'link' : 'address')),
    );
  });

  it('allows a request again in Redis once the oldest has left the window', async () => {
    const limit = createRateLimits(await client())({ name: 'short', points: 2, durationSeconds: 0.2 });
    expect(await taken(limit, 'k', 5)).toBe(2);
    await eventually(() => limit.consume('k'));
  });

  it('keeps windows no longer than their length when the clock of Redis is set back an hour', async () => {
    const redis = await client();
    const limit = createRateLimits(redis)({ name: 'set-back', points: 4, durationSeconds: 60 });
    const key = 'limit:set-back:k';
    await redis.rpush(key, ...[0, 30_000, 59_000].map((ago) => Date.now() + 3_600_000 - ago));
    await limit.consume('k');
    const wait = limit.consume('k').then(
      () => 'allowed',
      ({ headers }) => Number(headers['Retry-After']),
    );
    expect(await wait).toBeLessThanOrEqual(1);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
    // The differences between the times stay the same.
    const times = (await redis.lrange(key, 0, -1)).map(Number);
    const [, last = 0] = times;
    expect(times.slice(1).map((time) => last - time)).toEqual([0, 30_000, 59_000]);
  });

  it('keeps windows of bytes within what was taken when the clock of Redis is set back an hour', async () => {
    const redis = await client();
    const full = await takeShared(redis, 'test:k', 20);
    expect(full).toBeCloseTo(20, 3);
    for (const field of ['full', 'at']) await redis.hincrbyfloat('bucket:test:k', field, 3_600);
    expect(await takeShared(redis, 'test:k', 10)).toBeLessThanOrEqual(30);
    expect(await redis.pttl('bucket:test:k')).toBeLessThanOrEqual(30_000);
  });

  it('falls back to memory while Redis hangs or is down, and shares windows again afterwards', async () => {
    const redis = await client();
    const limits = createRateLimits(redis);
    server.kill('SIGSTOP');
    expect(await taken(limits({ name: 'hung', points: 4, durationSeconds: 60 }), 'k', 6)).toBe(4);
    server.kill('SIGCONT');
    server.kill('SIGKILL');
    await once(server, 'exit');
    expect(await taken(limits({ name: 'gone', points: 4, durationSeconds: 60 }), 'k', 6)).toBe(4);
    await start();
    const [one, two] = [limits, createRateLimits(await client())].map((limitsOf) =>
      limitsOf({ name: 'back', points: 4, durationSeconds: 60 }),
    );
    await eventually(() => redis.ping());
    await eventually(async () => {
      await one?.consume('probe');
      expect(await redis.exists('limit:back:probe')).toBe(1);
    });
    if (one === undefined || two === undefined) throw new Error('two limits');
    expect((await taken(one, 'k', 3)) + (await taken(two, 'k', 3))).toBe(4);
  });
});

async function canRun(program: string): Promise<boolean> {
  const child = spawn(program, ['--version'], { stdio: 'ignore' });
  return new Promise((resolve) => child.on('error', () => resolve(false)).on('exit', () => resolve(true)));
}
