import { expect, it } from 'vitest';
import { ConfigError } from '../../settings/config.ts';
import { parseTracingSettings } from './settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

it.each([
  ['nothing is set', {}],
  ['only a name is set', { OTEL_SERVICE_NAME: 'flags' }],
  ['the exporter is none', { ...endpoint, OTEL_TRACES_EXPORTER: 'none' }],
  ['the SDK is disabled', { ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }],
  ['the variables are empty', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: '' }],
])('traces are off when %s', (_, env) => {
  expect(parseTracingSettings(env)).toBeUndefined();
});

it.each([
  ['an endpoint is set', endpoint],
  ['an endpoint of traces is set', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }],
  ['the exporter is otlp', { OTEL_TRACES_EXPORTER: 'otlp' }],
  ['the SDK is not disabled', { ...endpoint, OTEL_SDK_DISABLED: 'false' }],
])('traces are on when %s', (_, env) => {
  expect(parseTracingSettings(env)).toMatchObject({ OTEL_TRACES_SAMPLER: 'parentbased_always_on' });
});

it.each([
  ['OTEL_TRACES_EXPORTER', 'console'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json'],
  ['OTEL_TRACES_SAMPLER', 'sometimes'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_BSP_MAX_QUEUE_SIZE', '0'],
])('a service does not start with %s=%s', (name, value) => {
  const env = { ...endpoint, [name]: value };
  expect(() => parseTracingSettings(env)).toThrow(ConfigError);
  expect(() => parseTracingSettings(env)).toThrow(name);
});
