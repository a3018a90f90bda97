import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { RateLimited } from './errors.ts';

interface LimitOptions {
  /** Names the limit in the store and in the refusal. */
  name: string;
  points: number;
  durationSeconds: number;
}

export interface RateLimit {
  /** Takes one point of `key`; throws RateLimited when none is left. */
  consume(key: string): Promise<void>;
}

/**
 * Limits shared by all instances through Redis; without Redis, or while it is away, each instance counts for
 * itself in memory.
 */
export function createRateLimits(redis: Redis | undefined): (options: LimitOptions) => RateLimit {
  return ({ name, points, durationSeconds }) => {
    const shared = { keyPrefix: `limit:${name}`, points, duration: durationSeconds };
    const memory = new RateLimiterMemory(shared);
    const limiter: RateLimiterAbstract =
      redis === undefined
        ? memory
        : new RateLimiterRedis({
            ...shared,
            storeClient: redis,
            insuranceLimiter: memory,
            rejectIfRedisNotReady: true,
          });
    return {
      async consume(key) {
        try {
          await limiter.consume(key);
        } catch (error) {
          if (!(error instanceof RateLimiterRes)) throw error;
          const seconds = error.msBeforeNext / 1000;
          throw new RateLimited(`Too many requests (${name}); try again after Retry-After.`, seconds);
        }
      },
    };
  };
}
