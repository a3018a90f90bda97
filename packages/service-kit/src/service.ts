import type { ServiceName } from '@switchboard/contracts';
import type { z } from 'zod';
import type { ServiceApp } from './app.ts';
import type { commonSettings } from './config.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

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
}

/** A running service. */
export interface Service {
  app: ServiceApp;
  /** Migrates, fills the replica, starts consumers. Called again while a dependency is away. */
  start(): Promise<void>;
  /** Finishes what was taken in, then closes every connection. */
  stop(): Promise<void>;
}

export interface ServiceDefinition<S extends z.ZodType<CommonConfig> = z.ZodType<CommonConfig>> {
  name: ServiceName;
  settings: S;
  create(context: ServiceContext<z.output<S>>): Service;
}

/** Declares a service: its name, its settings and how it is made from them. */
export function defineService<S extends z.ZodType<CommonConfig>>(
  definition: ServiceDefinition<S>,
): ServiceDefinition<S> {
  return definition;
}
