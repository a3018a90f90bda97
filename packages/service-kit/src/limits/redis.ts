import { backoffDelay } from '@switchboard/resilience';
import { Redis } from 'ioredis';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** A Redis client that fails fast while Redis is unavailable, so that its user can continue without it. */
export function openRedis(url: string, logger: Logger, metrics?: Metrics): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: 250,
    connectTimeout: 1000,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => backoffDelay(attempt, { baseMs: 50, maxMs: 1_000 }),
  });
  metrics?.dependency('redis', async () => void (await redis.ping()));
  let isUnavailable = false;
  redis.on('error', (error) => {
    if (!isUnavailable) logger.warn({ error }, 'Redis unavailable');
    isUnavailable = true;
  });
  redis.on('ready', () => {
    if (isUnavailable) logger.info('Redis available again');
    isUnavailable = false;
  });
  return redis;
}
