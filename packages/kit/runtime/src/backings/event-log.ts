import { type EventLogUser, eventLogAccess, type GroupAccess } from '@switchboard/contracts';
import {
  type EventLog,
  type KafkaConnection,
  type KafkaCredentials,
  type LogEntry,
  openKafkaLog,
  openPostgresLog,
} from '@switchboard/event-log';
import { type ByteBudget, createByteBudget } from '@switchboard/fairness';
import { ConfigError } from '../settings/config.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { observeLog, requestsOf } from '../telemetry/observed-log.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import { restrictLog } from './event-log-access.ts';

interface KafkaConfig {
  KAFKA_BROKERS?: string[] | undefined;
  KAFKA_TLS: boolean;
  KAFKA_SASL_MECHANISM: KafkaCredentials['mechanism'];
  KAFKA_USERNAME?: string | undefined;
  KAFKA_PASSWORD?: string | undefined;
}

interface EventLogConfig extends KafkaConfig {
  EVENT_LOG_DATABASE_URL?: string | undefined;
  TOPIC_REPLICATION: number;
  MAX_BYTES_IN_FLIGHT: number;
  /** True in a demo, which has a single broker. */
  ALLOW_DEVELOPMENT_CREDENTIALS?: boolean;
}

/** A caller gets its 503 within 5 s. The difference is for everything except the publish. */
const PUBLISH_TIMEOUT_MS = 4_500;

interface EventLogContext {
  config: EventLogConfig;
  logger: Logger;
  metrics: Metrics;
  /** The budget shared with request bodies. Without it, the log has MAX_BYTES_IN_FLIGHT to itself. */
  budget?: ByteBudget;
  tracing?: Tracing | undefined;
}

/**
 * Opens the event log of the settings with metrics and traces (`observeLog`), restricted to the user's access in the
 * contracts. Throws ConfigError if the settings name none.
 */
export function openEventLog(
  context: EventLogContext,
  user: EventLogUser,
  clientId: string = user,
): EventLog {
  const access = eventLogAccess[user];
  return restrictLog(openWholeLog(context, clientId, access.watches), access, user);
}

/** Opens the same log without restrictions, for tests. */
export function openWholeLog(
  { config, logger, metrics, budget, tracing }: EventLogContext,
  clientId: string,
  watches: readonly GroupAccess[] = [],
): EventLog {
  const bytesInFlight = budget ?? createByteBudget(config.MAX_BYTES_IN_FLIGHT);
  const log = logOf(config, clientId, logger, bytesInFlight.part());
  const system = config.KAFKA_BROKERS === undefined ? 'postgresql' : 'kafka';
  return observeLog(log, { system, logger, metrics, tracing, watches });
}

function logOf(config: EventLogConfig, clientId: string, logger: Logger, budget: ByteBudget): EventLog {
  const common = { budget, publishTimeoutMs: PUBLISH_TIMEOUT_MS };
  const onLog = ({ level, task, message, error, records = [] }: LogEntry) => {
    if (task !== undefined) logger.failed(task, error);
    else logger[level]({ component: 'event-log', ...requestsOf(records), error }, message);
  };
  const connection = kafkaConnection(config, clientId);
  if (connection !== undefined) {
    if (config.TOPIC_REPLICATION === 1 && !config.ALLOW_DEVELOPMENT_CREDENTIALS) {
      logger.warn(
        { component: 'event-log' },
        'TOPIC_REPLICATION is 1: losing a broker loses its records. Set 3, on three brokers or more',
      );
    }
    return openKafkaLog({ ...common, ...connection, compression: 'zstd', onLog });
  }
  if (config.EVENT_LOG_DATABASE_URL !== undefined) {
    return openPostgresLog({ ...common, url: config.EVENT_LOG_DATABASE_URL, onLog });
  }
  throw new ConfigError(
    'No event log: set KAFKA_BROKERS, or EVENT_LOG_DATABASE_URL to use a PostgreSQL database instead.',
  );
}

/** Returns the connection to the brokers of the settings; undefined if there are none. Throws ConfigError. */
export function kafkaConnection(config: KafkaConfig, clientId: string): KafkaConnection | undefined {
  const { KAFKA_BROKERS: brokers, KAFKA_TLS: tls } = config;
  return brokers && { brokers, clientId, tls, sasl: credentialsOf(config) };
}

function credentialsOf(config: KafkaConfig): KafkaCredentials | undefined {
  const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password, KAFKA_SASL_MECHANISM: mechanism } = config;
  if (username === undefined && password === undefined) return undefined;
  if (username === undefined || password === undefined) {
    throw new ConfigError('Set both KAFKA_USERNAME and KAFKA_PASSWORD, or neither.');
  }
  return { mechanism, username, password };
}
