import type { ServiceName } from '@switchboard/contracts';
import type { z } from 'zod';
import type { ServiceApp } from './app.ts';
import type { CommonConfig, ServiceContext } from './context.ts';

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
