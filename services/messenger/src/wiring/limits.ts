import { createRateLimits, openQuotas, type Quota, type RateLimit } from '@switchboard/http';
import { openRedis } from '@switchboard/runtime';
import type { Messenger } from '../config.ts';
import { type Limits, limitsTimes } from '../limits/limits.ts';

/** The rate limits of the messenger, and the functions that create the limits of a feature. */
export interface OpenedLimits extends Limits {
  /** Returns the rule of a limit per minute. */
  inMinute(name: string, points: number): Rule;
  /** Returns a limit that holds all rules. */
  limit(first: Rule, ...more: Rule[]): RateLimit;
  perMinute(name: string, points: number): RateLimit;
  quota(name: string): Quota;
}

interface Rule {
  name: string;
  points: number;
  durationSeconds: number;
}

/** Opens the rate limits, which instances with the same Redis share. `replaced` are those that tests change. */
export function openLimits(service: Messenger, replaced: Partial<Limits> = {}): OpenedLimits {
  const { add, config, share } = service;
  const redis = openRedis(config.REDIS_URL, service);
  add(redis, { stop: () => redis?.disconnect() });
  const limits = { ...limitsTimes(config.RATE_LIMITS_MULTIPLIER), ...replaced };
  const quotas = openQuotas({
    ...service,
    redis,
    bytesPerSecond: {
      address: limits.readBytesPerAddressPerSecond,
      project: limits.readBytesPerProjectPerSecond,
    },
  });
  add(quotas, { stop: quotas.close });
  const limit = createRateLimits(redis, share);
  const inMinute = (name: string, points: number) => ({ name, points, durationSeconds: 60 });
  return {
    ...limits,
    inMinute,
    limit,
    perMinute: (name, points) => limit(inMinute(name, points)),
    quota: quotas.quota,
  };
}
