import type { ServiceName } from '@switchboard/contracts';
import { ConfigError } from '../settings/config.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { refuse } from './shutdown.ts';
import { planWorkers, supervisorConfig } from './workers/plan.ts';
import { superviseWorkers, type Timings } from './workers/supervisor.ts';

export type { Timings } from './workers/supervisor.ts';

/** Starts workers if more than one is configured. Returns whether it did. Exits if the settings are invalid. */
export function supervises(service: ServiceName, timings: Partial<Timings> | undefined): boolean {
  const config = supervisorConfig(process.env);
  if (config === undefined) return false;
  try {
    const plan = planWorkers(config);
    if (plan.count === 1) return false;
    const logger = createLogger({ service, level: config.LOG_LEVEL });
    const metrics = createMetrics(service, config.REVISION, config.REGION);
    superviseWorkers({ plan, logger, metrics, timings });
    return true;
  } catch (error) {
    if (error instanceof ConfigError) refuse(service, error);
    throw error;
  }
}
