import { type Buckets, createBuckets } from '@switchboard/resilience';
import type { Redis } from 'ioredis';
import type { ProjectAccess } from '../http/env.ts';
import { RateLimited } from '../http/errors.ts';
import type { Quota } from '../http/implement.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface QuotasOptions {
  bytesPerSecond: Readonly<Record<'address' | 'project', number>>;
  /** In which instances count together; without it, each counts for itself, and each worker allows its share. */
  redis: Redis | undefined;
  share(bytesPerSecond: number): number;
  metrics: Metrics;
  logger: Logger;
}

/** Holds projects to what an operator allows them. */
export interface Throttle {
  /** Whether what the project sends is to be dropped. Throws RateLimited while it has sent what it may. */
  drops(project: ProjectAccess): boolean;
  /** Counts events that are accepted. Throws RateLimited if requests that came meanwhile have used the rate up. */
  charge(project: ProjectAccess, events: number): void;
}

export interface Quotas {
  /** A quota with buckets of its own; the name is for messages and metrics: `events`. */
  quota(name: string): Quota;
  throttle: Throttle;
  close(): void;
}

/** What a request counts beside its body, so that empty ones are bounded too. */
const REQUEST_BYTES = 1_000;
const WARN_AGAIN_MS = 60_000;
const SHARE_EVERY_MS = 1_000;
/** Soon enough to notice that the throttle was changed. */
const MAX_THROTTLED_SECONDS = 60;
/** So many projects have a series each. */
const MAX_NAMED = 100;
/** Smaller amounts wait until they add up, so that few keys are shared. */
const MIN_SHARED_SECONDS = 0.05;

/**
 * The bytes of the budget that bodies of each address and each project may take. They are counted in memory, since
 * asking Redis would cost more than accepting an event; once a second, instances add what they counted to Redis and
 * learn the sum. What a body takes is known once it is read, so a body may overdraw a bucket, and then the next one
 * waits.
 */
export function openQuotas({ bytesPerSecond, redis, share, metrics, logger }: QuotasOptions): Quotas {
  const rejections = metrics.counterBy(
    'switchboard_quota_rejections_total',
    'Requests over a quota by quota and holder.',
    ['quota', 'by'],
  );
  const allowed = redis === undefined ? share : (rate: number) => rate;
  const throttled = metrics.counterBy(
    'switchboard_throttled_requests_total',
    'Requests of projects that an operator throttles, by what became of them: refused or dropped.',
    ['project', 'outcome'],
  );
  const named = new Set<string>();
  // In seconds, since each project has a rate of its own.
  const throttles = createBuckets(1);
  const shared = new Map<string, Buckets>([['throttle', throttles]]);
  let warnedAt = Number.NEGATIVE_INFINITY;

  /** Names the project, since it can be called; addresses are not logged. */
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

  /** Workers without Redis each allow their share, which may be less than one event. */
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

  // While Redis is unavailable, what this instance counted is not shared, and still counts here.
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

/** A changed rate begins anew. */
const throttleKey = ({ id, eventsPerSecond }: ProjectAccess): string => `${id}:${eventsPerSecond}`;

/** Empties a shared bucket by some seconds and returns the seconds until it is full again. */
export async function takeShared(redis: Redis, bucket: string, seconds: number): Promise<number> {
  return Number(await redis.eval(TAKE, 1, `bucket:${bucket}`, seconds));
}

/**
 * By the clock of Redis: `full` is when the bucket is full again, `at` when that was written. If the clock was set back
 * since, `full` moves back as far.
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
