import { type EventLog, type LogEntry, openKafkaLog, openPostgresLog } from '@switchboard/event-log';
import { ConfigError } from './config.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

interface EventLogConfig {
  KAFKA_BROKERS?: string[] | undefined;
  KAFKA_COMPRESSION: 'none' | 'gzip' | 'zstd';
  EVENT_LOG_DATABASE_URL?: string | undefined;
  MAX_BYTES_IN_FLIGHT: number;
}

/** A caller hears within 5 s that the log is away; the rest of the way takes a little. */
const PUBLISH_TIMEOUT_MS = 4_500;

/** Opens the event log that the settings name. Throws ConfigError when they name none. */
export function openEventLog(config: EventLogConfig, clientId: string, logger: Logger): EventLog {
  const bounds = { maxBytesInFlight: config.MAX_BYTES_IN_FLIGHT, publishTimeoutMs: PUBLISH_TIMEOUT_MS };
  const onLog = ({ level, message, error }: LogEntry) =>
    logger[level]({ component: 'event-log', error }, message);
  if (config.KAFKA_BROKERS !== undefined) {
    const { KAFKA_BROKERS: brokers, KAFKA_COMPRESSION: compression } = config;
    return openKafkaLog({ brokers, compression, clientId, ...bounds, onLog });
  }
  if (config.EVENT_LOG_DATABASE_URL !== undefined) {
    return openPostgresLog({ url: config.EVENT_LOG_DATABASE_URL, ...bounds, onLog });
  }
  throw new ConfigError(
    'There is no event log: set KAFKA_BROKERS, or EVENT_LOG_DATABASE_URL to use a PostgreSQL database instead.',
  );
}

interface ConsumerGroup {
  group: string;
  topics: string[];
}

/** The metric `switchboard_event_log_lag`: how many records each of a service's consumer groups is behind. */
export function measureLag(metrics: Metrics, log: EventLog, groups: ConsumerGroup[]): void {
  const help = 'Records that a consumer group has not handled yet, by group, topic and partition.';
  metrics.gaugeBy('switchboard_event_log_lag', help, ['group', 'topic', 'partition'], async () => {
    const lags = await Promise.all(
      groups.map(async ({ group, topics }) =>
        (await log.lag(group, topics)).map(({ topic, partition, behind }) => ({
          labels: { group, topic, partition: String(partition) },
          value: Number(behind),
        })),
      ),
    );
    return lags.flat();
  });
}
