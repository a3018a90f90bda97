import type { ByteBudget } from '@switchboard/resilience';
import type { z } from 'zod';
import type { commonSettings } from '../settings/common.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';

/** The clock of rules that depend on the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export type CommonConfig = z.output<z.ZodObject<typeof commonSettings>>;

/** What a service is created from. */
export interface ServiceContext<C> {
  config: C;
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Counts request bodies and unacknowledged records against MAX_BYTES_IN_FLIGHT. */
  budget: ByteBudget;
  /** Absent if tracing is off. */
  tracing?: Tracing | undefined;
}
