import { describe, expect, it } from 'vitest';
import { redisUrl, startRedis } from './redis.ts';
import { s3Access, startS3 } from './s3.ts';

describe('backings for one test', () => {
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
});
