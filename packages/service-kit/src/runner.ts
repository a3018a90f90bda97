import { isUnavailable } from '@switchboard/database';
import { EventLogBusy, EventLogUnavailable } from '@switchboard/event-log';
import type { z } from 'zod';
import { retry } from './backoff.ts';
import { ConfigError, parseConfig } from './config.ts';
import { type CommonConfig, type ServiceContext, systemClock } from './context.ts';
import { createLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';
import { ListenError, listen } from './server.ts';
import type { Service, ServiceDefinition } from './service.ts';
import { startTracing } from './tracing/start.ts';

/** From SIGTERM to the end: DRAIN_MS for load balancers to see the service unready, then requests finish. */
const FINISH_MS = 8_000;
const LEAVE_MS = 15_000;

/** The settings and the context of a service from environment variables. Throws ConfigError. */
export function serviceContext<S extends z.ZodType<CommonConfig>>(
  { name, settings }: ServiceDefinition<S>,
  env: Record<string, string | undefined>,
): ServiceContext<z.output<S>> {
  const config = parseConfig(settings, env);
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  return { config, logger, clock: systemClock, metrics: createMetrics(name) };
}

/** Starts a service, trying again while a dependency is away; a defect is thrown. */
export async function startService(
  { app, start }: Service,
  { logger }: ServiceContext<CommonConfig>,
): Promise<void> {
  const isAway = (error: unknown) =>
    isUnavailable(error) || error instanceof EventLogUnavailable || error instanceof EventLogBusy;
  await retry(start, {
    retryable: isAway,
    onRetry: (error, attempt) =>
      logger.warn({ error, attempt }, 'a dependency is away; starting waits for it'),
  });
  app.health.started();
}

/**
 * Runs a service as this process: reads the environment, listens at once (unready until it has started), and
 * on SIGTERM or SIGINT says unready, finishes what is in flight, flushes and leaves within 15 s.
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

  let leaving = false;
  async function leave(signal: string): Promise<void> {
    if (leaving) return;
    leaving = true;
    logger.info({ signal }, 'leaving');
    setTimeout(() => {
      logger.error('could not finish in time');
      process.exit(1);
    }, LEAVE_MS).unref();
    service.app.health.drain();
    server.drain();
    await new Promise((resolve) => setTimeout(resolve, config.DRAIN_MS));
    await server.close(FINISH_MS);
    await service.stop();
    await tracing?.close();
    logger.info('left');
    process.exit(0);
  }
  process.on('SIGTERM', (signal) => void leave(signal));
  process.on('SIGINT', (signal) => void leave(signal));

  await startService(service, context);
  logger.info('ready');
}
