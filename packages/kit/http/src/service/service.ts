import type { ServiceName } from '@switchboard/contracts';
import type { Database, Migrations } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import type { CommonConfig, eventLogSettings, ServiceContext } from '@switchboard/runtime';
import type { z } from 'zod';
import type { ServiceApp } from './app.ts';
import type { Part, Parts } from './parts.ts';

/** A service that was created. `start` is called again while a dependency is unavailable. */
export interface Service extends Part {
  app: ServiceApp;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The declaration of a service, as a runner needs it. `defineService` returns one. */
export interface ServiceDefinition<
  S extends z.ZodType<CommonConfig> = z.ZodType<CommonConfig>,
  Constants extends object = object,
> {
  name: ServiceName;
  settings: S;
  /** The migrations of the service's database, in the order in which they are applied. */
  migrations: readonly Migrations[];
  /** Creates the service. `constants` replaces constants that only tests change. */
  create(context: ServiceContext<z.output<S>>, constants?: Constants): Service;
}

/** The settings of a service with the standard parts. */
export type ServiceConfig = CommonConfig &
  z.output<z.ZodObject<typeof eventLogSettings>> & { ROLES?: ReadonlySet<string> };

/** The standard parts that every service opens first. */
export interface Backings<C extends ServiceConfig = ServiceConfig> extends ServiceContext<C>, Parts {
  service: ServiceName;
  region: string;
  /** The replication factor of topics that the service creates. */
  replication: number;
  /** Whether this process serves requests. A service without roles always does. */
  serves: boolean;
  database: Database;
  db: Database['drizzle'];
  /** The address of the database for uses that need a session or their own time-outs. */
  databaseUrl: string;
  log: EventLog;
}
