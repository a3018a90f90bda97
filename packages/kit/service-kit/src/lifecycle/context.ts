import type { ByteBudget } from '@switchboard/resilience';
import type { z } from 'zod';
import type { commonSettings } from '../settings/common.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
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
