import {
  type Consumption,
  type EventLog,
  type LogEntry,
  openKafkaLog,
  openPostgresLog,
} from '@switchboard/event-log';
import { ConfigError } from './config.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

interface EventLogConfig {
  KAFKA_BROKERS?: string[] | undefined;
  KAFKA_COMPRESSION: 'none' | 'gzip' | 'zstd';
  KAFKA_LANES: number;
  EVENT_LOG_DATABASE_URL?: string | undefined;
  MAX_BYTES_IN_FLIGHT: number;
}

/** A caller hears within 5 s that the log is away; the rest of the way takes a little. */
const PUBLISH_TIMEOUT_MS = 4_500;

interface EventLogContext {
  config: EventLogConfig;
  logger: Logger;
  metrics: Metrics;
}

/**
 * Opens the event log that the settings name, and measures it: bytes in flight, and how far each consumer group
 * is behind. Throws ConfigError when the settings name none.
 */
export function openEventLog({ config, logger, metrics }: EventLogContext, clientId: string): EventLog {
  const log = logOf(config, clientId, logger);
  metrics.gauge(
    'switchboard_event_log_bytes_in_flight',
    'Bytes handed to the event log that it has not acknowledged yet.',
    log.bytesInFlight,
  );
  return measureLag(log, metrics);
}

function logOf(config: EventLogConfig, clientId: string, logger: Logger): EventLog {
  const common = { maxBytesInFlight: config.MAX_BYTES_IN_FLIGHT, publishTimeoutMs: PUBLISH_TIMEOUT_MS };
  const onLog = ({ level, message, error }: LogEntry) =>
    logger[level]({ component: 'event-log', error }, message);
  if (config.KAFKA_BROKERS !== undefined) {
    const { KAFKA_BROKERS: brokers, KAFKA_COMPRESSION: compression, KAFKA_LANES: lanes } = config;
    return openKafkaLog({ ...common, brokers, compression, lanes, clientId, onLog });
  }
  if (config.EVENT_LOG_DATABASE_URL !== undefined) {
    return openPostgresLog({ ...common, url: config.EVENT_LOG_DATABASE_URL, onLog });
  }
  throw new ConfigError(
    'There is no event log: set KAFKA_BROKERS, or EVENT_LOG_DATABASE_URL to use a PostgreSQL database instead.',
  );
}

/** The metric `switchboard_event_log_lag`, of every consumer group that this process is part of. */
function measureLag(log: EventLog, metrics: Metrics): EventLog {
  const running = new Map<Consumption, string>();
  const help = 'Records that a consumer group has not handled yet, by group, topic and partition.';
  metrics.gaugeBy('switchboard_event_log_lag', help, ['group', 'topic', 'partition'], async () => {
    const found = await Promise.all(
      [...running].map(async ([consumption, group]) =>
        (await consumption.lag()).map(({ topic, partition, behind }) => ({
          labels: { group, topic, partition: String(partition) },
          value: Number(behind),
        })),
      ),
    );
    return found.flat();
  });
  return {
    ...log,
    async consume(options) {
      const consumption = await log.consume(options);
      running.set(consumption, options.group);
      return {
        ...consumption,
        async stop() {
          running.delete(consumption);
          await consumption.stop();
        },
      };
    },
  };
}
