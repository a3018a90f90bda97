import { outputOf } from '@switchboard/testkit';
import { expect, it } from 'vitest';

/** Starts tracing in a separate process. Returns the modules it loaded besides the API, which prom-client imports. */
async function loaded(env: Record<string, string>): Promise<string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const seen = new Set();
    registerHooks({ resolve(specifier, context, next) {
      if (/^@opentelemetry\\/(?!api)/.test(specifier)) seen.add(specifier);
      return next(specifier, context);
    } });
    const { createLogger } = await import('${new URL('../../index.ts', import.meta.url)}');
    const { startTracing } = await import('${new URL('./start.ts', import.meta.url)}');
    await startTracing('flags', process.env, createLogger({ service: 'flags', level: 'silent' }));
    console.log(JSON.stringify([...seen]));
    process.exit();`;
  const { PATH = '' } = process.env;
  return JSON.parse(await outputOf(script, { cwd: import.meta.dirname, env: { PATH, ...env } }));
}

it('OpenTelemetry is not loaded while tracing is off', async () => {
  expect(await loaded({})).toEqual([]);
  expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })).toContain(
    '@opentelemetry/sdk-trace',
  );
});
