import type { Redis } from 'ioredis';
import { RateLimited } from '../http/errors.ts';
import { memoryWindow, redisWindow } from './sliding-window.ts';

interface LimitOptions {
  /** Names the limit in Redis and in the error message. */
  name: string;
  points: number;
  durationSeconds: number;
}

export interface RateLimit {
  /** Consumes one point of `key`; throws RateLimited when none is left in the last `durationSeconds`. */
  consume(key: string): Promise<void>;
}

/** How long Redis is not asked after a failure, so that a stopped one does not slow down every request. */
const RETRY_AFTER_MS = 1000;

/**
 * Sliding windows that all instances share through Redis. Without Redis, or while it is unavailable, each instance
 * counts in memory; one of several workers allows its share of the points.
 */
export function createRateLimits(
  redis: Redis | undefined,
  share: (points: number) => number = (points) => points,
): (options: LimitOptions) => RateLimit {
  let failedAt = Number.NEGATIVE_INFINITY;
  return ({ name, points, durationSeconds }) => {
    const window = { points, milliseconds: durationSeconds * 1000 };
    const inMemory = memoryWindow({ ...window, points: share(points) });
    const shared = redis && redisWindow(redis, name, window);

    async function take(key: string): Promise<number> {
      if (shared === undefined || performance.now() - failedAt < RETRY_AFTER_MS) return inMemory(key);
      try {
        return await shared(key);
      } catch {
        failedAt = performance.now();
        return inMemory(key);
      }
    }

    return {
      async consume(key) {
        const wait = await take(key);
        if (wait > 0) {
          throw new RateLimited(
            `Too many requests (${name}). Retry after the time in Retry-After.`,
            wait / 1000,
          );
        }
      },
    };
  };
}
