import { createDirectoryLink, createErasureReportLink } from '@switchboard/directory';
import { EventLogUnavailable } from '@switchboard/event-log';
import { retry } from '@switchboard/resilience';
import {
  ConfigError,
  createLogger,
  createMetrics,
  ListenError,
  listen,
  openEventLog,
  shutDownInOrder,
} from '@switchboard/service-kit';
import { linkSettings } from './config.ts';
import { createLinkApp } from './link-app.ts';

const NAME = 'directory-link';
const FINISH_MS = 2_000;

try {
  const { home: homeConfig, region: config } = linkSettings(process.env);
  const logger = createLogger({ service: NAME, level: config.LOG_LEVEL });
  const metrics = createMetrics(NAME);
  const region = openEventLog({ config, logger, metrics }, NAME);
  const home = openEventLog({ config: homeConfig, logger, metrics: createMetrics(`${NAME} home`) }, NAME);
  const link = createDirectoryLink({ home, region, replication: config.TOPIC_REPLICATION, logger });
  const reports = createErasureReportLink({ home, region, replication: config.TOPIC_REPLICATION });
  const app = createLinkApp({ link, home, region, metrics });
  const server = await listen({ fetch: app.fetch, host: config.HOST, port: config.PORT });
  logger.info({ port: server.port, region: config.REGION }, 'listening');

  let leaving = false;
  shutDownInOrder({
    log: logger,
    async close() {
      leaving = true;
      await server.close(FINISH_MS);
      await Promise.all([link.stop(), reports.stop()]);
      await Promise.all([home.close(), region.close()]);
    },
  });

  const starting = {
    isRetryable: (error: unknown) => !leaving && error instanceof EventLogUnavailable,
    onRetry: (error: unknown, attempt: number) =>
      logger.warn({ error, attempt }, 'event log unavailable, retrying start'),
  };
  await retry(() => link.start(), starting);
  await retry(() => reports.start(), starting);
} catch (error) {
  if (!(error instanceof ConfigError || error instanceof ListenError)) throw error;
  process.stderr.write(`${NAME}: ${error.message}\n`);
  process.exit(1);
}
