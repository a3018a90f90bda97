import { createRateLimits } from '@switchboard/http';
import { openRedis } from '@switchboard/runtime';
import type { Identity } from '../config.ts';
import { createLimits, type Limits } from '../limits/limits.ts';

/** Opens the limits of attempts, which instances with the same Redis share. */
export function openLimits(service: Identity): Limits {
  const { add, config, share } = service;
  const redis = openRedis(config.REDIS_URL, service);
  add(redis, { stop: () => redis?.disconnect() });
  return createLimits(createRateLimits(redis, share), config.RATE_LIMITS_MULTIPLIER);
}
