import type { ServiceName } from '@switchboard/contracts';
import { type ByteBudget, createByteBudget } from '@switchboard/fairness';
import type { z } from 'zod';
import type { commonSettings } from '../settings/common.ts';
import { parseConfig } from '../settings/config.ts';
import { refuseDevelopmentSecrets } from '../settings/development-secrets.ts';
import { countFailures, createLogger, type Logger } from '../telemetry/logger.ts';
import { createMetrics, type Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import type { Problems } from './health.ts';

/** The clock for rules that depend on the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export type CommonConfig = z.output<z.ZodObject<typeof commonSettings>>;

/** All workers of a service together. Rejects if the supervisor does not answer. */
export interface Whole {
  isServing(): Promise<boolean>;
  problems(): Promise<Problems>;
  /** Returns metrics in the Prometheus text format. */
  metrics(): Promise<string>;
}

/** The dependencies that a service is created from. */
export interface ServiceContext<C> {
  config: C;
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Counts request bodies and unacknowledged records against MAX_BYTES_IN_FLIGHT. */
  budget: ByteBudget;
  /** The name of this process in Kafka and PostgreSQL: `flags`, or `flags-2` for the second of several workers. */
  instance: string;
  /** Returns this worker's share of a limit for all workers together. */
  share(bound: number): number;
  /** All workers together; absent if the service runs in a single process. */
  whole?: Whole | undefined;
  /** Absent if tracing is off. */
  tracing?: Tracing | undefined;
}

/** Creates the context of a service from environment variables. Throws ConfigError. */
export function serviceContext<S extends z.ZodType<CommonConfig>>(
  { name, settings }: { name: ServiceName; settings: S },
  env: Record<string, string | undefined>,
  worker?: { number: number; count: number },
): ServiceContext<z.output<S>> {
  const { number = 1, count = 1 } = worker ?? {};
  const config = parseConfig(settings, env);
  refuseDevelopmentSecrets(config, env);
  const metrics = createMetrics(name, config.REVISION, config.REGION);
  const logger = createLogger({ service: name, level: config.LOG_LEVEL, worker: worker?.number });
  const share = (bound: number) => Math.ceil(bound / count);
  return {
    config,
    logger: countFailures(logger, metrics),
    clock: systemClock,
    metrics,
    budget: createByteBudget(share(config.MAX_BYTES_IN_FLIGHT)),
    instance: number === 1 ? name : `${name}-${number}`,
    share,
  };
}
