import type { z } from 'zod';
import type { commonSettings } from './config.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';
import type { Tracing } from './tracing/tracing.ts';

/** Passed in where a rule depends on the time. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

export type CommonConfig = { [K in keyof typeof commonSettings]: z.output<(typeof commonSettings)[K]> };

/** What a service is made with. */
export interface ServiceContext<C> {
  config: C;
  logger: Logger;
  clock: Clock;
  metrics: Metrics;
  /** Absent when tracing is off. */
  tracing?: Tracing | undefined;
}
