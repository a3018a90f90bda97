import type { Redis } from 'ioredis';
import { RateLimited } from '../http/errors.ts';
import { type Exhausted, memoryWindow, redisWindows } from './sliding-window.ts';

interface LimitOptions {
  /** Names the limit in Redis and in the error message. */
  name: string;
  points: number;
  durationSeconds: number;
}

/** A key for each of these limits. */
type KeysOf<Options extends readonly LimitOptions[]> = { [Place in keyof Options]: string };

/** One limit, or several that the same request counts towards. */
export interface RateLimit<Keys extends readonly string[] = [string]> {
  /**
   * Consumes one point of each key, in the order of the limits, as far as the first that has none left in its last
   * `durationSeconds`; that one throws RateLimited.
   */
  consume(...keys: Keys): Promise<void>;
}

export type CreateRateLimit = <Options extends readonly LimitOptions[]>(
  ...options: Options
) => RateLimit<KeysOf<Options>>;

/** How long Redis is not asked after a failure, so that a stopped one does not slow down every request. */
const RETRY_AFTER_MS = 1000;

/**
 * Sliding windows that all instances share through Redis, in one round trip for the limits of a request. Without Redis,
 * or while it is unavailable, each instance counts in memory; one of several workers allows its share of the points.
 */
export function createRateLimits(
  redis: Redis | undefined,
  share: (points: number) => number = (points) => points,
): CreateRateLimit {
  let failedAt = Number.NEGATIVE_INFINITY;
  return (...options) => {
    const windows = options.map(({ name, points, durationSeconds }) => {
      const window = { name, points, milliseconds: durationSeconds * 1000 };
      return { ...window, take: memoryWindow({ ...window, points: share(points) }) };
    });
    const shared = redis && redisWindows(redis, windows);

    function takeInMemory(keys: readonly string[]): Exhausted | undefined {
      for (const [place, { take }] of windows.entries()) {
        const wait = take(keys[place] ?? '');
        if (wait > 0) return { place, wait };
      }
      return undefined;
    }

    async function take(keys: readonly string[]): Promise<Exhausted | undefined> {
      if (shared === undefined || performance.now() - failedAt < RETRY_AFTER_MS) return takeInMemory(keys);
      try {
        return await shared(keys);
      } catch {
        failedAt = performance.now();
        return takeInMemory(keys);
      }
    }

    return {
      async consume(...keys) {
        const exhausted = await take(keys);
        if (exhausted === undefined) return;
        const { place, wait } = exhausted;
        throw new RateLimited(
          `Too many requests (${windows[place]?.name}). Retry after the time in Retry-After.`,
          wait / 1000,
        );
      },
    };
  };
}
