import { beforeAll, describe, expect, it } from 'vitest';
import { CONTAINERS, IS_UP, kill, replace } from './engine.ts';
import { underLoad } from './under-load.ts';

const BACKINGS = ['mail', 'redis', 's3', 'postgres', 'kafka'];

describe.skipIf(!IS_UP)('docker-compose.yml under load', () => {
  let load: Awaited<ReturnType<typeof underLoad>>;
  beforeAll(async () => {
    load = await underLoad('replaced');
  });

  it.each(CONTAINERS)(
    'answers every request, with 503 at worst, while the only container of %s is replaced',
    async (service) => {
      const { requests, failures } = await load.during(() => replace(service));
      process.stdout.write(`${service} replaced: ${failures.length} of ${requests} requests failed\n`);
      // How many requests time out depends on how fast this machine starts a container.
      expect(failures.filter((failure) => !failure.includes(': 503 '))).toEqual([]);
      expect(requests).toBeGreaterThan(50);
    },
    120_000,
  );

  it.each(BACKINGS)(
    'answers again without help after %s was killed and replaced',
    async (backing) => {
      const { requests, failures } = await load.during(async () => {
        await kill(backing);
        await replace(backing);
      });
      process.stdout.write(`${backing} replaced: ${failures.length} of ${requests} requests failed\n`);
      await load.untilAllSucceed();
    },
    400_000,
  );

  it('answers again after the gateway was replaced', async () => {
    const { requests, failures } = await load.during(() => replace('gateway'));
    process.stdout.write(`gateway replaced: ${failures.length} of ${requests} requests failed\n`);
    await load.untilAllSucceed();
  }, 180_000);

  it('stores everything that it accepted, once', async () => {
    const { accepted, ...problems } = await load.finish();
    for (const [what, found] of Object.entries(problems)) expect([what, found]).toEqual([what, []]);
    expect(Object.values(accepted).every((count) => count > 0)).toBe(true);
  }, 300_000);
});
