import cluster from 'node:cluster';
import type { ServiceName } from '@switchboard/contracts';
import { ConfigError } from '../settings/config.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { keepTicksFast } from './process/fast-ticks.ts';
import { refuse } from './process/shutdown.ts';
import type { ServiceDefinition } from './service.ts';
import { planWorkers, supervisorConfig } from './workers/plan.ts';
import { superviseWorkers, type Timings } from './workers/supervisor.ts';

/**
 * Runs a service as this process. Reads the environment and listens at once, not ready until it has started. On
 * SIGTERM, SIGINT or an unhandled error it reports not ready, finishes requests in flight, flushes and exits within
 * 15 s. With WORKERS, this process supervises others that do so. It then does not load the service itself, which
 * would take most of its memory.
 */
export async function runService(
  service: ServiceName,
  load: () => Promise<ServiceDefinition>,
  timings?: Partial<Timings>,
): Promise<void> {
  if (!cluster.isWorker && supervises(service, timings)) return;
  keepTicksFast();
  const [{ runProcess }, definition] = await Promise.all([import('./runner.ts'), load()]);
  await runProcess(definition);
}

/** Starts workers if more than one is configured. Returns whether it did. */
function supervises(service: ServiceName, timings: Partial<Timings> | undefined): boolean {
  const config = supervisorConfig(process.env);
  if (config === undefined) return false;
  try {
    const plan = planWorkers(config);
    if (plan.count === 1) return false;
    const logger = createLogger({ service, level: config.LOG_LEVEL });
    superviseWorkers({ plan, logger, metrics: createMetrics(service, config.REVISION), timings });
    return true;
  } catch (error) {
    if (error instanceof ConfigError) refuse(service, error);
    throw error;
  }
}
