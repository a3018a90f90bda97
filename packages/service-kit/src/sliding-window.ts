import type { Redis } from 'ioredis';

/** So many points of a key in any span of this length; a refused try takes none. */
export interface WindowOptions {
  points: number;
  milliseconds: number;
}

/** Takes a point of `key`. Answers how many milliseconds until one is free; 0 when it was taken. */
export type TakePoint = (key: string) => number | Promise<number>;

const MOST_KEYS = 100_000;

/** Times of the points taken, in a ring as large as there are points: the oldest is the one to be replaced. */
interface Ring {
  times: number[];
  next: number;
}

/** A sliding window of each key in this process. The keys used longest ago are forgotten past a bound. */
export function memoryWindow(
  { points, milliseconds }: WindowOptions,
  now: () => number = () => performance.now(),
): TakePoint {
  const rings = new Map<string, Ring>();

  function forgetOldest(moment: number): void {
    for (const [key, { times, next }] of rings) {
      const latest = times[(next + points - 1) % points] ?? 0;
      if (rings.size <= MOST_KEYS && latest > moment - milliseconds) return;
      rings.delete(key);
    }
  }

  return (key) => {
    const moment = now();
    forgetOldest(moment);
    const ring = rings.get(key) ?? { times: [], next: 0 };
    const oldest = ring.times[ring.next];
    if (oldest !== undefined && oldest > moment - milliseconds) return oldest + milliseconds - moment;
    ring.times[ring.next] = moment;
    ring.next = (ring.next + 1) % points;
    rings.delete(key);
    rings.set(key, ring);
    return 0;
  };
}

/** The times of a key's points, newest first, by Redis's own clock. */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local points, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local oldest = redis.call('LINDEX', KEYS[1], points - 1)
if oldest and tonumber(oldest) > now - window then return tonumber(oldest) + window - now end
redis.call('LPUSH', KEYS[1], now)
redis.call('LTRIM', KEYS[1], 0, points - 1)
redis.call('PEXPIRE', KEYS[1], window)
return 0`;

/** A sliding window of each key that all instances share. Throws when Redis does not answer. */
export function redisWindow(redis: Redis, name: string, { points, milliseconds }: WindowOptions): TakePoint {
  let digest: Promise<string> | undefined;

  async function run(key: string): Promise<unknown> {
    digest ??= redis.script('LOAD', SCRIPT) as Promise<string>;
    return redis.evalsha(await digest, 1, `limit:${name}:${key}`, points, milliseconds);
  }

  return async (key) => {
    try {
      return Number(await run(key));
    } catch (error) {
      digest = undefined; // A Redis that was started again has forgotten the script.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return Number(await run(key));
    }
  };
}
