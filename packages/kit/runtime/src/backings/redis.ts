import { keepStringsFast } from '@switchboard/engine';
import { backoffDelay, type Measure } from '@switchboard/resilience';
import { Redis } from 'ioredis';
import { measureCalls } from '../telemetry/calls.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';

keepStringsFast();

interface RedisContext {
  logger: Logger;
  metrics: Metrics;
  tracing?: Tracing | undefined;
}

/**
 * Opens a Redis client that fails fast while Redis is unavailable, so that its user can continue without it. Returns
 * undefined without an address.
 */
export function openRedis(url: string, context: RedisContext): Redis;
export function openRedis(url: string | undefined, context: RedisContext): Redis | undefined;
export function openRedis(url: string | undefined, { logger, metrics, tracing }: RedisContext) {
  if (url === undefined) return undefined;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    commandTimeout: 250,
    connectTimeout: 1000,
    maxRetriesPerRequest: 0,
    retryStrategy: (attempt) => backoffDelay(attempt, { baseMs: 50, maxMs: 1_000 }),
  });
  measureCommands(redis, measureCalls({ metrics, tracing, dependency: 'redis', system: 'redis' }));
  metrics.dependency('redis', async () => void (await redis.ping()));
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

/** Measures commands. The tracing of ioredis covers all clients of a process and reveals their arguments. */
function measureCommands(redis: Redis, measure: Measure): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    const end = measure(command.name);
    command.promise.then(() => end(), end);
    return send(command, stream);
  };
}
