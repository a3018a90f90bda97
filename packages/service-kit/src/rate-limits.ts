import type { Redis } from 'ioredis';
import { RateLimited } from './errors.ts';
import { memoryWindow, redisWindow } from './sliding-window.ts';

interface LimitOptions {
  /** Names the limit in the store and in the refusal. */
  name: string;
  points: number;
  durationSeconds: number;
}

export interface RateLimit {
  /** Takes one point of `key`; throws RateLimited when none is left in the last `durationSeconds`. */
  consume(key: string): Promise<void>;
}

/** How long Redis is left alone once it did not answer: a stopped one must not slow every request. */
const LEAVE_ALONE_MS = 1000;

/**
 * Sliding windows shared by all instances through Redis; without Redis, or while it is away, each instance
 * counts for itself in memory.
 */
export function createRateLimits(redis: Redis | undefined): (options: LimitOptions) => RateLimit {
  let awaySince = Number.NEGATIVE_INFINITY;
  return ({ name, points, durationSeconds }) => {
    const window = { points, milliseconds: durationSeconds * 1000 };
    const inMemory = memoryWindow(window);
    const shared = redis && redisWindow(redis, name, window);

    async function take(key: string): Promise<number> {
      if (shared === undefined || performance.now() - awaySince < LEAVE_ALONE_MS) return inMemory(key);
      try {
        return await shared(key);
      } catch {
        awaySince = performance.now();
        return inMemory(key);
      }
    }

    return {
      async consume(key) {
        const wait = await take(key);
        if (wait > 0) {
          throw new RateLimited(`Too many requests (${name}); try again after Retry-After.`, wait / 1000);
        }
      },
    };
  };
}
