import { isUnavailable } from '@switchboard/database';
import { EventLogBusy, EventLogUnavailable } from '@switchboard/event-log';
import { createByteBudget, retry } from '@switchboard/resilience';
import type { z } from 'zod';
import { ListenError, listen } from '../http/server.ts';
import { ConfigError, parseConfig } from '../settings/config.ts';
import { refuseDevelopmentSecrets } from '../settings/development-secrets.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startTracing } from '../telemetry/tracing/start.ts';
import { type CommonConfig, type ServiceContext, systemClock } from './context.ts';
import type { Service, ServiceDefinition } from './service.ts';
import { shutDownInOrder } from './shutdown.ts';

/** After SIGTERM, load balancers have DRAIN_MS to notice, then requests in flight have FINISH_MS. */
const FINISH_MS = 8_000;

/** Creates the context of a service from environment variables. Throws ConfigError. */
export function serviceContext<S extends z.ZodType<CommonConfig>>(
  { name, settings }: ServiceDefinition<S>,
  env: Record<string, string | undefined>,
): ServiceContext<z.output<S>> {
  const config = parseConfig(settings, env);
  refuseDevelopmentSecrets(config, env);
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  const budget = createByteBudget(config.MAX_BYTES_IN_FLIGHT);
  return { config, logger, clock: systemClock, metrics: createMetrics(name), budget };
}

/** Starts a service, retrying while a dependency is unavailable. Throws any other error. */
export async function startWithRetries(
  { app, start }: Service,
  { logger }: ServiceContext<CommonConfig>,
): Promise<void> {
  const isRetryable = (error: unknown) =>
    isUnavailable(error) || error instanceof EventLogUnavailable || error instanceof EventLogBusy;
  await retry(start, {
    isRetryable,
    onRetry: (error, attempt) => logger.warn({ error, attempt }, 'dependency unavailable, retrying start'),
  });
  app.health.started();
}

/**
 * Runs a service as this process: reads the environment, listens at once (not ready until it has started), and on
 * SIGTERM, SIGINT or an error that nothing handled reports not ready, finishes requests in flight, flushes and exits
 * within 15 s.
 */
export async function runService<S extends z.ZodType<CommonConfig>>(
  definition: ServiceDefinition<S>,
): Promise<void> {
  try {
    await run(definition);
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof ListenError)) throw error;
    process.stderr.write(`${definition.name}: ${error.message}\n`);
    process.exit(1);
  }
}

async function run<S extends z.ZodType<CommonConfig>>(definition: ServiceDefinition<S>): Promise<void> {
  const untraced = serviceContext(definition, process.env);
  const { config, logger } = untraced;
  const tracing = await startTracing(definition.name, process.env, logger);
  const context = { ...untraced, tracing };
  const service = definition.create(context);
  const server = await listen({ fetch: service.app.hono.fetch, host: config.HOST, port: config.PORT });
  logger.info({ port: server.port, region: config.REGION }, 'listening');

  shutDownInOrder({
    log: logger,
    async close() {
      service.app.health.drain();
      server.drain();
      await new Promise((resolve) => setTimeout(resolve, config.DRAIN_MS));
      await server.close(FINISH_MS);
      await service.stop();
      await tracing?.close();
    },
  });

  await startWithRetries(service, context);
  logger.info('ready');
}
