import cluster from 'node:cluster';
import type { ServiceName } from '@switchboard/contracts';
import { keepTicksFast } from '@switchboard/engine';
import { supervises, type Timings } from '@switchboard/runtime/process';
import type { ServiceDefinition } from './service.ts';

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
