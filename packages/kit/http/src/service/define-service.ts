import type { ServiceName } from '@switchboard/contracts';
import type { Migrations } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import {
  type Clock,
  type CommonConfig,
  countFailures,
  type Logger,
  openEventLog,
  type ServiceContext,
  serviceContext,
} from '@switchboard/runtime';
import type { z } from 'zod';
import type { AccessDirectory } from '../access/credentials.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { listen } from '../server/server.ts';
import { createApp, type ServiceApp } from './app.ts';
import { directUrl, migrateDatabase, openServiceDatabase } from './database.ts';
import { createLifeCycle, type Parts } from './parts.ts';
import { startWithRetries } from './runner.ts';
import type { Backings, Service, ServiceConfig, ServiceDefinition } from './service.ts';

/** How long requests in flight may take once a service of this process is stopped. */
const GRACE_MS = 1000;

/** The parts that a service is wired from: the standard parts, and functions that add its own. */
export interface OpenedService<
  C extends ServiceConfig = ServiceConfig,
  D extends AccessDirectory = Directory,
  A extends AuditTrail | undefined = AuditTrail,
> extends Backings<C> {
  directory: D;
  audit: A;
  app: ServiceApp;
}

interface Wiring<
  S extends z.ZodType<ServiceConfig>,
  D extends AccessDirectory,
  A extends AuditTrail | undefined,
  Constants extends object,
> {
  name: ServiceName;
  settings: S;
  /** The migrations of the service's database, in the order in which they are applied. */
  migrations: readonly Migrations[];
  /** Opens the directory that requests are authorized with, such as `openReplica()`. */
  directory(backings: Backings<z.output<S>>): D;
  /** Opens the audit trail, such as `openAuditTrail`. A service without permissions has none. */
  audit(backings: Backings<z.output<S>>): A;
  /** Returns the address of the database. Default: DATABASE_URL. */
  databaseUrl?(config: z.output<S>): string;
  /** Creates tables of libraries, which the migrations then grant access to. */
  beforeMigrations?(backings: Backings<z.output<S>>): Promise<void>;
  /** Creates the features of the service and adds their parts. `constants` replaces constants that only tests change. */
  create(service: OpenedService<z.output<S>, D, A>, constants?: Constants): void;
}

interface StartOptions<Constants> {
  clock?: Clock;
  logger?: Logger;
  /** Default: 127.0.0.1. */
  host?: string;
  /** Default: a free port. */
  port?: number;
  /** Constants of the service that a test replaces. */
  constants?: Constants;
}

/** A service that runs in this process. */
export interface RunningService<C> {
  url: string;
  port: number;
  service: Service;
  context: ServiceContext<C>;
  /** Finishes requests in flight, then closes every connection. Further calls do nothing. */
  stop(): Promise<void>;
}

export interface StartableService<S extends z.ZodType<CommonConfig>, Constants extends object = object>
  extends ServiceDefinition<S, Constants> {
  /** Starts the service in this process and resolves when it is ready. Throws ConfigError and ListenError. */
  start(
    env: Record<string, string | undefined>,
    options?: StartOptions<Constants>,
  ): Promise<RunningService<z.output<S>>>;
}

/**
 * Declares a service. The database, the event log, the directory, the audit trail and the application are opened
 * first, then the features of the service. All parts start in that order, and stop in reverse.
 */
export function defineService<
  S extends z.ZodType<ServiceConfig>,
  D extends AccessDirectory,
  A extends AuditTrail | undefined,
  Constants extends object = object,
>(wiring: Wiring<S, D, A, Constants>): StartableService<S, Constants> {
  return startable({
    ...wiring,
    create(context, constants) {
      const lifeCycle = createLifeCycle();
      try {
        return { ...lifeCycle, app: open(wiring, context, lifeCycle, constants) };
      } catch (error) {
        // The caller has to change a setting, and gets that error.
        void lifeCycle.stop().catch(() => undefined);
        throw error;
      }
    },
  });
}

/** Opens the standard parts and creates the features of a service. */
function open<
  S extends z.ZodType<ServiceConfig>,
  D extends AccessDirectory,
  A extends AuditTrail | undefined,
  Constants extends object,
>(
  wiring: Wiring<S, D, A, Constants>,
  context: ServiceContext<z.output<S>>,
  { add, run }: Parts,
  constants: Constants | undefined,
): ServiceApp {
  const { name: service, migrations } = wiring;
  const { config } = context;
  const { REGION: region, TOPIC_REPLICATION: replication } = config;
  const serves = config.ROLES?.has('http') ?? true;
  const database = openServiceDatabase(context, wiring.databaseUrl?.(config));
  add(database, {
    async start() {
      await wiring.beforeMigrations?.(backings);
      await migrateDatabase(config, migrations);
    },
    stop: database.close,
  });
  const log = openEventLog(context, service, context.instance);
  add(log, { stop: log.close });
  const backings: Backings<z.output<S>> = {
    ...{ ...context, add, run, service, region, replication, serves },
    ...{ database, db: database.drizzle, databaseUrl: directUrl(config), log },
  };
  const audit = wiring.audit(backings);
  const directory = wiring.directory(backings);
  const app = createApp({ service, context, directory, database, audit });
  wiring.create({ ...backings, audit, directory, app }, constants);
  return app;
}

/** Adds `start` to the definition of a service. */
export function startable<S extends z.ZodType<CommonConfig>, Constants extends object = object>(
  definition: ServiceDefinition<S, Constants>,
): StartableService<S, Constants> {
  return {
    ...definition,
    async start(env, { host = '127.0.0.1', port = 0, logger, constants, ...given } = {}) {
      const own = serviceContext(definition, env);
      const counted = logger && { logger: countFailures(logger, own.metrics) };
      const context = { ...own, ...given, ...counted };
      const service = definition.create(context, constants);
      const server = await listen({ fetch: service.app.hono.fetch, host, port });
      let stopping: Promise<void> | undefined;
      const stop = () => {
        if (stopping === undefined) service.drain?.();
        stopping ??= server.close(GRACE_MS).then(() => service.stop());
        return stopping;
      };
      try {
        await startWithRetries(service, context);
      } catch (error) {
        await stop();
        throw error;
      }
      return { url: `http://${host}:${server.port}`, port: server.port, service, context, stop };
    },
  };
}
