import type { Redis } from 'ioredis';

/** The points per key in any time span of this length. A rejected attempt consumes none. */
export interface WindowOptions {
  points: number;
  milliseconds: number;
}

/** Consumes a point of `key` and returns 0, or returns the milliseconds until one is free. */
export type TakePoint = (key: string) => number;

const MAX_KEYS = 100_000;

/** The times of the consumed points, in a ring buffer with one slot per point; `next` is the oldest. */
interface Ring {
  times: number[];
  next: number;
}

/** Creates a sliding window per key in this process. Above MAX_KEYS, the least recently used keys are dropped. */
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

/** The points that a request consumes: one of a key in each of these windows, in their order. */
export interface Take {
  windows: readonly NamedWindow[];
  keys: readonly string[];
}

/** The index of the first window without a point left, and the milliseconds until one is free. */
export interface Exhausted {
  place: number;
  wait: number;
}

/**
 * Keeps the times of a key's points, newest first, by the clock of Redis. Each key comes with its points, its window
 * and whether it is the first of a request. Returns the keys without a point and the wait of each. Times in the
 * future were written before the clock was set back. They move back by the same amount; otherwise the key would stay
 * exhausted until the clock reaches them again.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local exhausted, isRefused = {}, false
for index, key in ipairs(KEYS) do
  local points, window = tonumber(ARGV[3 * index - 2]), tonumber(ARGV[3 * index - 1])
  if ARGV[3 * index] == '1' then isRefused = false end
  if not isRefused then
    local ahead = tonumber(redis.call('LINDEX', key, 0) or 0) - now
    if ahead > 0 then
      local times = redis.call('LRANGE', key, 0, -1)
      redis.call('DEL', key)
      for _, taken in ipairs(times) do redis.call('RPUSH', key, tonumber(taken) - ahead) end
      redis.call('PEXPIRE', key, window)
    end
    local oldest = redis.call('LINDEX', key, points - 1)
    if oldest and tonumber(oldest) > now - window then
      isRefused = true
      exhausted[#exhausted + 1] = index
      exhausted[#exhausted + 1] = tonumber(oldest) + window - now
    else
      if redis.call('LPUSH', key, now) > points then redis.call('LTRIM', key, 0, points - 1) end
      redis.call('PEXPIRE', key, window)
    end
  end
end
return exhausted`;

/**
 * Creates sliding windows that all instances share. One round trip takes the points of several requests, each up to
 * its first window without a point left. Throws if Redis does not answer.
 */
export function redisWindows(
  redis: Redis,
): (takes: readonly Take[]) => Promise<readonly (Exhausted | undefined)[]> {
  let digest: Promise<string> | undefined;

  async function run(keys: string[], bounds: number[]): Promise<unknown> {
    digest ??= redis.script('LOAD', SCRIPT) as Promise<string>;
    return redis.evalsha(await digest, keys.length, ...keys, ...bounds);
  }

  async function runLoaded(keys: string[], bounds: number[]): Promise<unknown> {
    try {
      return await run(keys, bounds);
    } catch (error) {
      digest = undefined; // Redis drops loaded scripts when it restarts.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return run(keys, bounds);
    }
  }

  return async (takes) => {
    const names: string[] = [];
    const bounds: number[] = [];
    for (const { windows, keys } of takes) {
      for (const [place, { name, points, milliseconds }] of windows.entries()) {
        names.push(`limit:${name}:${keys[place]}`);
        bounds.push(points, milliseconds, place === 0 ? 1 : 0);
      }
    }
    const answer = await runLoaded(names, bounds);
    const waits = waitsByIndex(Array.isArray(answer) ? answer : []);
    let index = 0;
    return takes.map(({ windows }) => {
      const first = index;
      index += windows.length;
      if (waits.size === 0) return undefined;
      for (let place = 0; place < windows.length; place++) {
        const wait = waits.get(first + place);
        if (wait !== undefined) return { place, wait };
      }
      return undefined;
    });
  };
}

/** Parses a Lua list of waits and indexes, which begin at 1. */
function waitsByIndex(list: readonly unknown[]): ReadonlyMap<number, number> {
  const waits = new Map<number, number>();
  for (let i = 0; i < list.length; i += 2) waits.set(Number(list[i]) - 1, Number(list[i + 1]));
  return waits;
}
