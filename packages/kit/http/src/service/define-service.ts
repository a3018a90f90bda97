import {
  type Clock,
  type CommonConfig,
  countFailures,
  type Logger,
  type ServiceContext,
  serviceContext,
} from '@switchboard/runtime';
import type { z } from 'zod';
import { listen } from '../server/server.ts';
import { startWithRetries } from './runner.ts';
import type { Service, ServiceDefinition } from './service.ts';

/** How long requests in flight may take once a service of this process is stopped. */
const GRACE_MS = 1000;

interface StartOptions {
  clock?: Clock;
  logger?: Logger;
  /** Default: 127.0.0.1. */
  host?: string;
  /** Default: a free port. */
  port?: number;
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

export interface StartableService<S extends z.ZodType<CommonConfig>> extends ServiceDefinition<S> {
  /** Starts the service in this process and resolves when it is ready. Throws ConfigError and ListenError. */
  start(
    env: Record<string, string | undefined>,
    options?: StartOptions,
  ): Promise<RunningService<z.output<S>>>;
}

/** Declares a service: its name, its settings, its migrations and how it is created from them. */
export function defineService<S extends z.ZodType<CommonConfig>>(
  definition: ServiceDefinition<S>,
): StartableService<S> {
  return {
    ...definition,
    async start(env, { host = '127.0.0.1', port = 0, logger, ...given } = {}) {
      const own = serviceContext(definition, env);
      const counted = logger && { logger: countFailures(logger, own.metrics) };
      const context = { ...own, ...given, ...counted };
      const service = definition.create(context);
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
