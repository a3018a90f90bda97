import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable, UnsuitableDatabase } from '@switchboard/database';
import { collectAtRest } from '@switchboard/engine';
import { EventLogBusy, EventLogUnavailable } from '@switchboard/event-log';
import { retry } from '@switchboard/resilience';
import {
  type CommonConfig,
  ConfigError,
  debugOnSignal,
  joinSupervisor,
  type Membership,
  refuse,
  type ServiceContext,
  serviceContext,
  shutDownInOrder,
  startTracing,
  tlsFiles,
} from '@switchboard/runtime';
import type { z } from 'zod';
import { type Fetch, type HttpServer, ListenError, listen } from '../server/server.ts';
import type { Service, ServiceDefinition } from './service.ts';

/** After SIGTERM, load balancers have at least DRAIN_MS to notice, then requests in flight have FINISH_MS. */
const FINISH_MS = 8_000;
/** Services start together, and the directory is available shortly after catalogue. */
const ATTEMPTS_BEFORE_A_WARNING = 4;
/** Shorter than the time after which the supervisor gives up on its workers. */
const WORKER_SHUTDOWN_MS = 14_000;
/** The time for which a starting service holds requests, and the number of them. */
const HOLD_MS = 5_000;
const MAX_HELD = 1_000;

/** Starts a service, retrying while a dependency is unavailable. Throws any other error. */
export async function startWithRetries(
  { app, start }: Service,
  { logger }: ServiceContext<CommonConfig>,
): Promise<void> {
  const isRetryable = (error: unknown) =>
    isUnavailable(error) || error instanceof EventLogUnavailable || error instanceof EventLogBusy;
  await retry(start, {
    isRetryable,
    onRetry(error, attempt) {
      const level = attempt < ATTEMPTS_BEFORE_A_WARNING ? 'info' : 'warn';
      logger[level]({ error, attempt }, 'dependency unavailable, retrying start');
    },
  });
  app.health.started();
}

/** Runs a service in this process, with or without a supervisor. See `runService`. */
export async function runProcess<S extends z.ZodType<CommonConfig>>(
  definition: ServiceDefinition<S>,
): Promise<void> {
  try {
    const membership = await joinSupervisor();
    await run(definition, serviceContext(definition, process.env, membership?.assignment), membership);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    refuse(definition.name, error);
  }
}

/** Whether an operator has to change something before the service can start. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof ConfigError || error instanceof ListenError || error instanceof UnsuitableDatabase;

async function run<S extends z.ZodType<CommonConfig>>(
  definition: ServiceDefinition<S>,
  untraced: ServiceContext<z.output<S>>,
  membership: Membership | undefined,
): Promise<void> {
  const { config, logger, metrics } = untraced;
  debugOnSignal(logger);
  collectAtRest();
  const tracing = await startTracing(definition.name, process.env, logger);
  const context = { ...untraced, tracing, whole: membership?.whole };
  const service = definition.create(context);
  const { health, hono } = service.app;
  membership?.answerFor({ health, metrics });
  let server: HttpServer | undefined;
  const starting = Promise.withResolvers<void>();

  shutDownInOrder({
    log: logger,
    withinMs: membership && WORKER_SHUTDOWN_MS,
    async close() {
      health.drain();
      await server?.drain(config.DRAIN_MS);
      service.drain?.();
      await server?.close(FINISH_MS);
      await service.stop();
      await tracing?.close();
    },
  });

  async function accept(): Promise<void> {
    const tls = tlsFiles(config);
    const fetch = holdUntil(starting.promise, hono.fetch);
    server = await listen({ fetch, host: config.HOST, port: config.PORT, tls, logger });
    logger.info({ port: server.port, region: config.REGION }, 'listening');
  }

  // Every worker that listens gets connections. While another one listens, this worker waits, since it would answer
  // 503.
  const listensAtOnce = membership?.assignment.listensAtOnce ?? true;
  if (listensAtOnce) await accept();
  try {
    await startWithRetries(service, context);
  } catch (error) {
    await service.stop();
    throw error;
  }
  starting.resolve();
  if (!listensAtOnce) await accept();
  await membership?.started();
  logger.info('ready');
}

/**
 * Holds requests until the service has started, except health checks. A load balancer sends some until its next check
 * if an instance is restarted between two of them, and does not repeat those that get a 503.
 */
function holdUntil(started: Promise<void>, fetch: Fetch): Fetch {
  let held = 0;
  let hasStarted = false;
  void started.then(() => {
    hasStarted = true;
  });
  return (request, env) => {
    if (hasStarted || held >= MAX_HELD || /^\/(health\/|metrics$)/.test(new URL(request.url).pathname))
      return fetch(request, env);
    held++;
    return Promise.race([started, sleep(HOLD_MS, undefined, { ref: false })]).then(() => {
      held--;
      return fetch(request, env);
    });
  };
}
