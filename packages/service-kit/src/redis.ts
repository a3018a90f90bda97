import { Redis } from 'ioredis';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** A Redis that fails fast while it is away, so that its user can go on without it. */
export function openRedis(url: string, logger: Logger, metrics?: Metrics): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: 250,
    connectTimeout: 1000,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, 1000),
  });
  metrics?.dependency('redis', async () => void (await redis.ping()));
  let isAway = false;
  redis.on('error', (error) => {
    if (!isAway) logger.warn({ error }, 'Redis is away');
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) logger.info('Redis is back');
    isAway = false;
  });
  return redis;
}
