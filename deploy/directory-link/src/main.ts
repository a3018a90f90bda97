import { auditTopic } from '@switchboard/audit';
import { createDirectoryLink, createReportLink } from '@switchboard/directory';
import { EventLogUnavailable } from '@switchboard/event-log';
import { ListenError, listen } from '@switchboard/http';
import { retry } from '@switchboard/resilience';
import {
  ConfigError,
  countFailures,
  createLogger,
  createMetrics,
  debugOnSignal,
  linkSettings,
  openEventLog,
  shutDownInOrder,
} from '@switchboard/runtime';
import { createLinkApp } from './link-app.ts';

const NAME = 'directory-link';
const FINISH_MS = 2_000;

try {
  const { home: homeConfig, region: config } = linkSettings(process.env);
  const metrics = createMetrics(NAME, config.REVISION, config.REGION);
  const logger = countFailures(createLogger({ service: NAME, level: config.LOG_LEVEL }), metrics);
  debugOnSignal(logger);
  const region = openEventLog({ config, logger, metrics }, NAME);
  const homeMetrics = createMetrics(`${NAME} home`);
  const home = openEventLog({ config: homeConfig, logger, metrics: homeMetrics }, `${NAME}-home`, NAME);
  const link = createDirectoryLink({ home, region, replication: config.TOPIC_REPLICATION, logger });
  const { TOPIC_REPLICATION: replication } = config;
  const reports = createReportLink({ home, region, replication, others: [auditTopic(replication)] });
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
