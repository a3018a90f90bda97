import type { Logger } from '../logger.ts';
import { traceFetches } from './outgoing.ts';
import { parseTracingSettings } from './settings.ts';
import type { Tracing } from './tracing.ts';

/** Tracing as the OTEL_ variables say; undefined when they leave it off. Throws ConfigError. */
export async function startTracing(
  service: string,
  env: Record<string, string | undefined>,
  logger: Logger,
): Promise<Tracing | undefined> {
  const settings = parseTracingSettings(env);
  if (settings === undefined) return undefined;
  // Only who wants traces waits for the SDK to load.
  const { openTracing } = await import('./otel.ts');
  const tracing = openTracing({ service, settings, logger });
  const stop = traceFetches();
  return {
    ...tracing,
    close() {
      stop();
      return tracing.close();
    },
  };
}
