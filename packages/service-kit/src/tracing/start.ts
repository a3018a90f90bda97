import type { Logger } from '../logger.ts';
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
  // The SDK costs 20 MB and 100 ms, so only who wants traces loads it.
  const { openTracing } = await import('./otel.ts');
  return openTracing({ service, settings, logger });
}
