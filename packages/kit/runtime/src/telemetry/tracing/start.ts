import type { Logger } from '../logger.ts';
import { traceFetches } from './outgoing.ts';
import { parseTracingSettings } from './settings.ts';
import type { Tracing } from './tracing.ts';

/** Starts tracing with the settings of the OTEL_ variables. Returns undefined if it is off. Throws ConfigError. */
export async function startTracing(
  service: string,
  env: Record<string, string | undefined>,
  logger: Logger,
): Promise<Tracing | undefined> {
  const settings = parseTracingSettings(env);
  if (settings === undefined) return undefined;
  // The SDK is loaded only if tracing is on.
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
