import type { ServiceName } from '@switchboard/contracts';
import type { Migrations } from '@switchboard/database';
import type { CommonConfig, ServiceContext } from '@switchboard/runtime';
import type { z } from 'zod';
import type { ServiceApp } from './app.ts';

/** A running service. */
export interface Service {
  app: ServiceApp;
  /** Migrates, fills the replica and starts consumers. Called again while a dependency is unavailable. */
  start(): Promise<void>;
  /** Ends work that would keep the server open when it closes, such as event streams. */
  drain?(): void;
  /** Finishes accepted work, then closes every connection. */
  stop(): Promise<void>;
}

export interface ServiceDefinition<S extends z.ZodType<CommonConfig> = z.ZodType<CommonConfig>> {
  name: ServiceName;
  settings: S;
  /** The migrations of the service's database, in the order in which they are applied. */
  migrations: readonly Migrations[];
  create(context: ServiceContext<z.output<S>>): Service;
}
