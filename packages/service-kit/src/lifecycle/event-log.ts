import {
  type EventLog,
  type KafkaCredentials,
  type LogEntry,
  openKafkaLog,
  openPostgresLog,
} from '@switchboard/event-log';
import { type ByteBudget, createByteBudget } from '@switchboard/resilience';
import { ConfigError } from '../settings/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { observeLog, requestsOf } from '../telemetry/observed-log.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';

interface EventLogConfig {
  KAFKA_BROKERS?: string[] | undefined;
  KAFKA_TLS: boolean;
  KAFKA_SASL_MECHANISM: KafkaCredentials['mechanism'];
  KAFKA_USERNAME?: string | undefined;
  KAFKA_PASSWORD?: string | undefined;
  KAFKA_COMPRESSION: 'none' | 'gzip' | 'zstd';
  EVENT_LOG_DATABASE_URL?: string | undefined;
  MAX_BYTES_IN_FLIGHT: number;
}

/** A caller gets its 503 within 5 s; the rest is for everything but the publish. */
const PUBLISH_TIMEOUT_MS = 4_500;

interface EventLogContext {
  config: EventLogConfig;
  logger: Logger;
  metrics: Metrics;
  /** Shared with the request bodies; without it the log has MAX_BYTES_IN_FLIGHT to itself. */
  budget?: ByteBudget;
  tracing?: Tracing | undefined;
}

/** Opens the event log of the settings, with metrics and traces (`observeLog`). Throws ConfigError if they name none. */
export function openEventLog(
  { config, logger, metrics, budget, tracing }: EventLogContext,
  clientId: string,
): EventLog {
  const bytesInFlight = budget ?? createByteBudget(config.MAX_BYTES_IN_FLIGHT);
  const log = logOf(config, clientId, logger, bytesInFlight.part());
  const system = config.KAFKA_BROKERS === undefined ? 'postgresql' : 'kafka';
  return observeLog(log, { system, logger, metrics, tracing });
}

function logOf(config: EventLogConfig, clientId: string, logger: Logger, budget: ByteBudget): EventLog {
  const common = { budget, publishTimeoutMs: PUBLISH_TIMEOUT_MS };
  const onLog = ({ level, message, error, records = [] }: LogEntry) =>
    logger[level]({ component: 'event-log', ...requestsOf(records), error }, message);
  if (config.KAFKA_BROKERS !== undefined) {
    const { KAFKA_BROKERS: brokers, KAFKA_COMPRESSION: compression } = config;
    const connection = { brokers, clientId, tls: config.KAFKA_TLS, sasl: credentialsOf(config) };
    return openKafkaLog({ ...common, ...connection, compression, onLog });
  }
  if (config.EVENT_LOG_DATABASE_URL !== undefined) {
    return openPostgresLog({ ...common, url: config.EVENT_LOG_DATABASE_URL, onLog });
  }
  throw new ConfigError(
    'No event log: set KAFKA_BROKERS, or EVENT_LOG_DATABASE_URL to use a PostgreSQL database instead.',
  );
}

function credentialsOf(config: EventLogConfig): KafkaCredentials | undefined {
  const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password, KAFKA_SASL_MECHANISM: mechanism } = config;
  if (username === undefined && password === undefined) return undefined;
  if (username === undefined || password === undefined) {
    throw new ConfigError('Set both KAFKA_USERNAME and KAFKA_PASSWORD, or neither.');
  }
  return { mechanism, username, password };
}
