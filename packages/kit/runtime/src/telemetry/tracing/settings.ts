import { z } from 'zod';
import { parseConfig } from '../../settings/config.ts';
import { httpUrl, integerSetting } from '../../settings/fields.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const protocol = z
  .literal('http/protobuf', { error: 'only http/protobuf is supported' })
  .default('http/protobuf')
  .describe('Protocol of the collector. No other one is supported.');

/**
 * The OpenTelemetry variables. The exporter itself reads those of the connection (headers, time-out, certificates).
 */
export const tracingSettings = z.object({
  OTEL_SDK_DISABLED: z.string().optional().describe('true disables tracing.'),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], { error: 'not otlp or none' })
    .optional()
    .describe('otlp or none. Default: otlp if an endpoint is set.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl
    .optional()
    .describe('OTLP collector over HTTP, such as http://collector:4318. Setting it enables tracing.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl
    .optional()
    .describe('Collector for traces alone, with its path: http://collector:4318/v1/traces.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, { error: `not one of ${SAMPLERS.join(', ')}` })
    .default('parentbased_always_on')
    .describe('The sampler, which selects the traces that are recorded.'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((text) => Number(text) >= 0 && Number(text) <= 1, 'not a number between 0 and 1')
    .transform(Number)
    .default(1)
    .describe('Share of traces that the ratio samplers record, 0 to 1.'),
  OTEL_BSP_MAX_QUEUE_SIZE: integerSetting({ min: 1, max: 1_000_000, fallback: 2048 }).describe(
    'Maximum number of spans that wait to be sent; further ones are dropped.',
  ),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: integerSetting({ min: 1, max: 100_000, fallback: 512 }).describe(
    'Maximum number of spans in one request.',
  ),
  OTEL_BSP_SCHEDULE_DELAY: integerSetting({ min: 1, max: 600_000, fallback: 5000 }).describe(
    'Milliseconds between two requests to the collector.',
  ),
  OTEL_BSP_EXPORT_TIMEOUT: integerSetting({ min: 1, max: 600_000, fallback: 30_000 }).describe(
    'Milliseconds until a request to the collector times out.',
  ),
});
export type TracingSettings = z.output<typeof tracingSettings>;

/** Returns the tracing settings; undefined if tracing is off. Throws ConfigError. */
export function parseTracingSettings(env: Record<string, string | undefined>): TracingSettings | undefined {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return undefined;
  const settings = parseConfig(tracingSettings, env);
  const endpoint = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const exporter = settings.OTEL_TRACES_EXPORTER ?? (endpoint === undefined ? 'none' : 'otlp');
  return exporter === 'otlp' ? settings : undefined;
}
