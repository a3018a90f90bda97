import type { Redis } from 'ioredis';

/** Points per key in any time span of this length. A rejected attempt consumes none. */
export interface WindowOptions {
  points: number;
  milliseconds: number;
}

/** Consumes a point of `key` and returns 0, or returns the milliseconds until one is free. */
export type TakePoint = (key: string) => number;

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

/** A window with its keys in Redis. */
export interface NamedWindow extends WindowOptions {
  name: string;
}

/** The first window, by its place, that has no point left, and the milliseconds until one is free. */
export interface Exhausted {
  place: number;
  wait: number;
}

/** Keeps the times of a key's points, newest first, by the clock of Redis. */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for place, key in ipairs(KEYS) do
  local points, window = tonumber(ARGV[2 * place - 1]), tonumber(ARGV[2 * place])
  local oldest = redis.call('LINDEX', key, points - 1)
  if oldest and tonumber(oldest) > now - window then return {place, tonumber(oldest) + window - now} end
  redis.call('LPUSH', key, now)
  redis.call('LTRIM', key, 0, points - 1)
  redis.call('PEXPIRE', key, window)
end
return {}`;

/**
 * Sliding windows that all instances share. One round trip takes a point of each window, in their order and as far as
 * the first that has none left. Throws when Redis does not answer.
 */
export function redisWindows(
  redis: Redis,
  windows: readonly NamedWindow[],
): (keys: readonly string[]) => Promise<Exhausted | undefined> {
  const bounds = windows.flatMap(({ points, milliseconds }) => [points, milliseconds]);
  let digest: Promise<string> | undefined;

  async function run(keys: string[]): Promise<Exhausted | undefined> {
    digest ??= redis.script('LOAD', SCRIPT) as Promise<string>;
    const answer = await redis.evalsha(await digest, keys.length, ...keys, ...bounds);
    const [place, wait] = Array.isArray(answer) ? answer : [];
    return place === undefined ? undefined : { place: Number(place) - 1, wait: Number(wait) };
  }

  return async (keys) => {
    const named = windows.map(({ name }, place) => `limit:${name}:${keys[place]}`);
    try {
      return await run(named);
    } catch (error) {
      digest = undefined; // Redis drops loaded scripts when it restarts.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return run(named);
    }
  };
}
