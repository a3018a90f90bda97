import { coalesce } from '@switchboard/resilience';
import type { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RateLimited } from '../exchange/errors.ts';
import {
  type Exhausted,
  memoryWindow,
  type NamedWindow,
  redisWindows,
  type Take,
  type TakePoint,
} from './sliding-window.ts';

interface LimitOptions {
  /** The name of the limit in Redis and in the error message. */
  name: string;
  points: number;
  durationSeconds: number;
}

/** One key for each of these limits. */
type KeysOf<Options extends readonly LimitOptions[]> = { [Place in keyof Options]: string };

/** One limit, or several that the same request counts against. */
export interface RateLimit<Keys extends readonly string[] = [string]> {
  /**
   * Consumes one point of each key, in the order of the limits. Stops at the first key without a point left in its
   * last `durationSeconds` and throws RateLimited.
   */
  consume(...keys: Keys): Promise<void>;
  /**
   * Throws RateLimited if this process knows that the first key has no point left, without asking Redis. For requests
   * that have a next step more expensive than a memory lookup.
   */
  refuseExhausted(firstKey: Keys[0]): void;
}

export type CreateRateLimit = <Options extends readonly LimitOptions[]>(
  ...options: Options
) => RateLimit<KeysOf<Options>>;

/** How long Redis is not used after a failure, so that a stopped server does not slow down every request. */
const RETRY_AFTER_MS = 1000;

/** The number of exhausted keys per limit that this process remembers. It asks Redis for others. */
const MAX_EXHAUSTED = 10_000;

/** The number of requests per round trip. It blocks Redis for less than a millisecond. */
const MAX_REQUESTS_AT_ONCE = 100;

/** A window with a copy in memory for when Redis is unavailable. */
interface CountedWindow extends NamedWindow {
  take: TakePoint;
}

interface CountedTake extends Take {
  windows: readonly CountedWindow[];
}

interface Refused extends Exhausted {
  /** Whether the refusal was counted in memory. Redis may have points left when it is available again. */
  isFallback?: boolean;
}

/**
 * Creates sliding windows that all instances share through Redis. The limits of a request, and of all requests that
 * wait at the same moment, take one round trip. Without Redis, or while it is unavailable, each instance counts in
 * memory, and each of several workers allows its share of the points.
 */
export function createRateLimits(
  redis: Redis | undefined,
  share: (points: number) => number = (points) => points,
): CreateRateLimit {
  const take: (take: CountedTake) => Refused | undefined | Promise<Refused | undefined> =
    redis === undefined ? takeInMemory : takeTogether(redis);
  return (...options) => {
    const windows = options.map(({ name, points, durationSeconds }) => {
      const window = { name, points, milliseconds: durationSeconds * 1000 };
      return { ...window, take: memoryWindow({ ...window, points: share(points) }) };
    });
    // An exhausted key has no point until its oldest leaves the window, regardless of other instances.
    const exhaustedKeys = new LRUCache<string, true>({ max: MAX_EXHAUSTED });

    function refuse(place: number, wait: number): never {
      throw new RateLimited(
        `Too many requests (${windows[place]?.name}). Retry after the time in Retry-After.`,
        wait / 1000,
      );
    }

    function refuseExhausted(firstKey: string): void {
      const wait = exhaustedKeys.getRemainingTTL(firstKey);
      if (wait > 0) refuse(0, wait);
    }

    return {
      refuseExhausted,
      async consume(...keys) {
        const [firstKey = ''] = keys;
        refuseExhausted(firstKey);
        const exhausted = await take({ windows, keys });
        if (exhausted === undefined) return;
        const { place, wait, isFallback = false } = exhausted;
        if (place === 0 && !isFallback) exhaustedKeys.set(firstKey, true, { ttl: wait });
        refuse(place, wait);
      },
    };
  };
}

function takeInMemory({ windows, keys }: CountedTake): Exhausted | undefined {
  for (const [place, { take }] of windows.entries()) {
    const wait = take(keys[place] ?? '');
    if (wait > 0) return { place, wait };
  }
  return undefined;
}

function fallBack(take: CountedTake): Refused | undefined {
  const exhausted = takeInMemory(take);
  return exhausted && { ...exhausted, isFallback: true };
}

/**
 * Returns a function that batches takes. Each take is a separate object, so requests with the same keys all count.
 */
function takeTogether(redis: Redis): (take: CountedTake) => Promise<Refused | undefined> {
  const shared = redisWindows(redis);
  let failedAt = Number.NEGATIVE_INFINITY;
  return coalesce<CountedTake, Refused | undefined>(
    async (takes) => {
      if (performance.now() - failedAt < RETRY_AFTER_MS) return takes.map(fallBack);
      try {
        return await shared(takes);
      } catch {
        failedAt = performance.now();
        return takes.map(fallBack);
      }
    },
    { gathers: true, maxBatch: MAX_REQUESTS_AT_ONCE },
  );
}
