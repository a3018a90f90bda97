import { type Buckets, createBuckets } from '@switchboard/fairness';
import type { Logger, Metrics } from '@switchboard/runtime';
import type { Redis } from 'ioredis';
import type { ProjectAccess } from '../exchange/env.ts';
import { RateLimited } from '../exchange/errors.ts';

interface QuotasOptions {
  bytesPerSecond: Readonly<Record<'address' | 'project', number>>;
  /**
   * The Redis in which instances count together. Without it, each instance counts alone and each worker allows its
   * share.
   */
  redis: Redis | undefined;
  share(bytesPerSecond: number): number;
  metrics: Metrics;
  logger: Logger;
}

/** The quota of an address and a project. An operation with a quota checks it before it reads a body. */
export interface Quota {
  /** Throws RateLimited while the quota is used up. */
  check(by: 'address' | 'project', id: string): void;
  charge(by: 'address' | 'project', id: string, bytes: number): void;
}

/** Limits projects to the rate that an operator allows. */
export interface Throttle {
  /** Whether the project's events are to be dropped. Throws RateLimited while its rate is used up. */
  drops(project: ProjectAccess): boolean;
  /** Counts accepted events. Throws RateLimited if concurrent requests have used up the rate. */
  charge(project: ProjectAccess, events: number): void;
}

export interface Quotas {
  /** Returns a quota with separate buckets. The name, such as `events`, appears in messages and metrics. */
  quota(name: string): Quota;
  throttle: Throttle;
  close(): void;
}

/** The bytes that a request counts besides its body, so that empty requests are limited too. */
const REQUEST_BYTES = 1_000;
const WARN_AGAIN_MS = 60_000;
const SHARE_EVERY_MS = 1_000;
/** The longest Retry-After, short enough for clients to notice a changed throttle. */
const MAX_THROTTLED_SECONDS = 60;
/** The number of projects with their own metric series. */
const MAX_NAMED = 100;
/** Smaller amounts are held back until they add up, so that few keys are shared. */
const MIN_SHARED_SECONDS = 0.05;

/**
 * Opens quotas on the bytes of the budget that bodies of each address and each project take. They are counted in
 * memory, since asking Redis would cost more than accepting an event. Once a second, instances add their counts to
 * Redis and learn the sum. The size of a body is known only after it is read, so a body may overdraw a bucket, and
 * the next one waits.
 */
export function openQuotas({ bytesPerSecond, redis, share, metrics, logger }: QuotasOptions): Quotas {
  const rejections = metrics.counterBy(
    'switchboard_quota_rejections_total',
    'Requests rejected with 429 because a project or address exceeded a quota.',
    ['quota', 'by'],
  );
  const allowed = redis === undefined ? share : (rate: number) => rate;
  const throttled = metrics.counterBy(
    'switchboard_throttled_requests_total',
    'Requests of throttled projects by outcome: refused or dropped.',
    ['project', 'outcome'],
  );
  const named = new Set<string>();
  // In seconds, since each project has its own rate.
  const throttles = createBuckets(1);
  const shared = new Map<string, Buckets>([['throttle', throttles]]);
  let warnedAt = Number.NEGATIVE_INFINITY;

  /** Logs the project, since an operator can contact it. Addresses are not logged. */
  function warn(quota: string, project: string): void {
    const now = performance.now();
    if (now - warnedAt < WARN_AGAIN_MS) return;
    warnedAt = now;
    logger.warn({ project, quota }, 'quota of a project used up');
  }

  function count({ id }: ProjectAccess, outcome: 'refused' | 'dropped'): void {
    if (named.size < MAX_NAMED) named.add(id);
    throttled.add([named.has(id) ? id : 'other', outcome]);
  }

  function refuseExhausted(project: ProjectAccess): void {
    const wait = throttles.wait(throttleKey(project));
    if (wait === 0) return;
    count(project, 'refused');
    throw new RateLimited(
      `The operator limits this project to ${project.eventsPerSecond} events per second. Retry after the time in Retry-After.`,
      Math.min(wait, MAX_THROTTLED_SECONDS),
    );
  }

  const throttle: Throttle = {
    drops(project) {
      const { eventsPerSecond } = project;
      if (eventsPerSecond === undefined) return false;
      if (eventsPerSecond === 0) {
        count(project, 'dropped');
        return true;
      }
      refuseExhausted(project);
      return false;
    },
    charge(project, events) {
      const { eventsPerSecond = 0 } = project;
      if (eventsPerSecond === 0) return;
      refuseExhausted(project);
      throttles.take(throttleKey(project), events / rateHere(eventsPerSecond));
    },
  };

  /** Returns the rate of this worker. Without Redis it is a share, which may be less than one event per second. */
  const rateHere = (perSecond: number) =>
    redis === undefined ? share(perSecond * MILLIS) / MILLIS : perSecond;

  async function exchange(client: Redis): Promise<void> {
    for (const [name, buckets] of shared) {
      const taken = buckets.unshared(MIN_SHARED_SECONDS);
      await Promise.all(
        Array.from(taken, async ([key, seconds]) => {
          buckets.merge(key, await takeShared(client, `${name}:${key}`, seconds));
        }),
      );
    }
  }

  // While Redis is unavailable, counts of this instance are not shared but still apply here.
  const timer =
    redis && setInterval(() => void exchange(redis).catch(() => undefined), SHARE_EVERY_MS).unref();

  return {
    throttle,
    quota(name) {
      const buckets = {
        address: createBuckets(allowed(bytesPerSecond.address)),
        project: createBuckets(allowed(bytesPerSecond.project)),
      };
      for (const by of ['address', 'project'] as const) shared.set(`${name}:${by}`, buckets[by]);
      return {
        check(by, id) {
          const wait = buckets[by].wait(id);
          if (wait === 0) return;
          rejections.add([name, by]);
          if (by === 'project') warn(name, id);
          throw new RateLimited(
            `Quota of the ${by} used up (${name}). Retry after the time in Retry-After.`,
            wait,
          );
        },
        charge(by, id, bytes) {
          buckets[by].take(id, bytes + REQUEST_BYTES);
        },
      };
    },
    close: () => clearInterval(timer),
  };
}

const MILLIS = 1_000;

/** Returns a key that contains the rate, so that a changed rate starts with a new bucket. */
const throttleKey = ({ id, eventsPerSecond }: ProjectAccess): string => `${id}:${eventsPerSecond}`;

/** Takes seconds from a shared bucket. Returns the seconds until it is full again. */
export async function takeShared(redis: Redis, bucket: string, seconds: number): Promise<number> {
  return Number(await redis.eval(TAKE, 1, `bucket:${bucket}`, seconds));
}

/**
 * Uses the clock of Redis. `full` is the time at which the bucket is full again, and `at` is the time of that write.
 * If the clock was set back since, `full` moves back by the same amount.
 */
const TAKE = `
local time = redis.call('TIME')
local now = time[1] + time[2] / 1000000
local known = redis.call('HMGET', KEYS[1], 'full', 'at')
local ahead = math.max(0, tonumber(known[2] or 0) - now)
local full = math.max(now, tonumber(known[1] or 0) - ahead) + tonumber(ARGV[1])
redis.call('HSET', KEYS[1], 'full', string.format('%.6f', full), 'at', string.format('%.6f', now))
redis.call('PEXPIRE', KEYS[1], math.ceil((full - now) * 1000))
return string.format('%.6f', full - now)`;
