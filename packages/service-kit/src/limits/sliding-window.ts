import type { Redis } from 'ioredis';

/** Points per key in any time span of this length. A rejected attempt consumes none. */
export interface WindowOptions {
  points: number;
  milliseconds: number;
}

/** Consumes a point of `key` and returns 0, or returns the milliseconds until one is free. */
export type TakePoint = (key: string) => number | Promise<number>;

const MAX_KEYS = 100_000;

/** Times of the points consumed, in a ring buffer with one slot per point; `next` is the oldest. */
interface Ring {
  times: number[];
  next: number;
}

/** A sliding window per key in this process. Beyond MAX_KEYS, the least recently used keys are dropped. */
export function memoryWindow(
  { points, milliseconds }: WindowOptions,
  now: () => number = () => performance.now(),
): TakePoint {
  const rings = new Map<string, Ring>();

  function dropOldest(moment: number): void {
    for (const [key, { times, next }] of rings) {
      const latest = times[(next + points - 1) % points] ?? 0;
      if (rings.size <= MAX_KEYS && latest > moment - milliseconds) return;
      rings.delete(key);
    }
  }

  return (key) => {
    const moment = now();
    dropOldest(moment);
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

/** Keeps the times of a key's points, newest first, by the clock of Redis. */
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

/** A sliding window per key that all instances share. Throws when Redis does not answer. */
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
      digest = undefined; // Redis drops loaded scripts when it restarts.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return Number(await run(key));
    }
  };
}
