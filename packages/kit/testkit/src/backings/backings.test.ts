import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startNetwork } from './network.ts';
import { postgresServer } from './postgres-server.ts';
import { redisUrl, startRedis } from './redis.ts';
import { s3Access, startS3 } from './s3.ts';

describe('the backings of one test', () => {
  it('Redis restarts on its port after it was killed', async (test) => {
    const server = await startRedis();
    if (!server) return test.skip();
    await server.kill();
    await server.restart();
    await server.kill();
    expect(await redisUrl()).toMatch(/^redis:/);
  });

  it('an S3 server answers 403 without a key, before and after it was killed and restarted', async (test) => {
    const server = await startS3();
    if (!server) return test.skip();
    const status = async (): Promise<number> => (await fetch(`${server.endpoint}/${server.bucket}`)).status;
    expect(await status()).toBe(403);
    await server.kill();
    await server.restart();
    expect(await status()).toBe(403);
    await server.stop();
    expect(await s3Access()).toMatchObject({ bucket: expect.any(String) });
  });

  it('a link to a server delays, resets, withholds and refuses connections, and works again once it is healed', async (test) => {
    const network = await startNetwork();
    if (!network) return test.skip();
    const server = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const link = await network.link('server', (server.address() as AddressInfo).port);
    const ask = async (withinMs = 5_000) => {
      const startedAt = performance.now();
      const answer = await fetch(`http://127.0.0.1:${link.port}`, {
        signal: AbortSignal.timeout(withinMs),
      });
      return { text: await answer.text(), ms: performance.now() - startedAt };
    };
    expect((await ask()).text).toBe('here');
    await link.fail('latency');
    expect((await ask()).ms).toBeGreaterThan(150);
    await link.heal();
    for (const fault of ['reset', 'refused'] as const) {
      await link.fail(fault);
      await expect(ask()).rejects.toThrow('fetch failed');
      await link.heal();
      expect((await ask()).text).toBe('here');
    }
    let served = 0;
    server.on('request', () => served++);
    await link.fail('half-open');
    await expect(ask(500)).rejects.toThrow('timeout');
    expect(served).toBe(1);
    await link.heal();
    expect((await ask()).text).toBe('here');
    await network.stop();
    server.close();
  });
});

it('a PostgreSQL server that a failed test left frozen is removed', async () => {
  const server = await postgresServer();
  await server.freeze();
  await expect(server.remove()).resolves.toBeUndefined();
});
