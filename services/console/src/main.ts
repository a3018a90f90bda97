import { listen } from '@switchboard/http';
import {
  ConfigError,
  countFailures,
  createHealth,
  createLogger,
  createMetrics,
  debugOnSignal,
  parseConfig,
  refuse,
  refuseDevelopmentSecrets,
  shutDownInOrder,
  tlsFiles,
} from '@switchboard/runtime';
import { readAssets } from './assets/assets.ts';
import { consoleSettings } from './config.ts';
import { createConsole } from './service.ts';

const GRACE_MS = 8_000;

async function run(): Promise<void> {
  const config = parseConfig(consoleSettings, process.env);
  refuseDevelopmentSecrets(config, process.env);
  const metrics = createMetrics('console', config.REVISION);
  const logger = countFailures(createLogger({ service: 'console', level: config.LOG_LEVEL }), metrics);
  debugOnSignal(logger);
  const health = createHealth();
  const assets = await readAssets(config.WEB_FOLDER);
  const { fetch } = createConsole({ config, assets, health, logger, metrics });
  const server = await listen({
    fetch,
    host: config.HOST,
    port: config.PORT,
    tls: tlsFiles(config),
    logger,
  });
  shutDownInOrder({
    log: logger,
    async close() {
      health.drain();
      await server.drain(config.DRAIN_MS);
      await server.close(GRACE_MS);
    },
  });
  health.started();
  logger.info({ port: server.port }, 'listening');
}

await run().catch((error: unknown) => {
  if (error instanceof ConfigError) refuse('console', error);
  throw error;
});
