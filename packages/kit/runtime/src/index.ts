/**
 * The process of a service. The folders, lowest first; none imports a higher one (checked by e2e/structure):
 *
 * settings     environment variables, parsed once
 * threads      work that would block the event loop
 * telemetry    logs, metrics, traces
 * secrets      encryption at rest, tokens
 * process      the context of a service, its health, its workers and its shutdown
 * backings     the event log, the object store and Redis of the settings
 * outgoing     requests to third parties
 * maintenance  the removal of old data, and slow changes of rows
 */
export { kafkaConnection, openEventLog, openWholeLog } from './backings/event-log.ts';
export { openObjects } from './backings/object-store.ts';
export { openRedis } from './backings/redis.ts';
export { type Backfills, createBackfills } from './maintenance/backfill.ts';
export { createRetention, type Retention } from './maintenance/retention.ts';
export { isAddress, isReachable } from './outgoing/addresses.ts';
export { strangersNames } from './outgoing/names.ts';
export { createSender, type Send, SendFailed } from './outgoing/sender.ts';
export {
  type Clock,
  type CommonConfig,
  type ServiceContext,
  serviceContext,
  systemClock,
} from './process/context.ts';
export { createHealth, type Health, type Problems } from './process/health.ts';
export { debugOnSignal } from './process/log-level.ts';
export { refuse, SHUTDOWN_MS, shutDownInOrder } from './process/shutdown.ts';
export { joinSupervisor, type Membership } from './process/workers/join.ts';
export { createEncryption, type Encryption, encryptionSecrets } from './secrets/encryption.ts';
export { reencryptAll } from './secrets/re-encryption.ts';
export {
  apiTokenId,
  hashToken,
  isApiToken,
  isValueOf,
  newApiToken,
  newToken,
} from './secrets/tokens.ts';
export { commonSettings, LONGEST_DRAIN_MS } from './settings/common.ts';
export { ConfigError, parseConfig } from './settings/config.ts';
export { refuseDevelopmentSecrets } from './settings/development-secrets.ts';
export { eventLogSettings } from './settings/event-log.ts';
export {
  httpUrl,
  integerSetting,
  jsonText,
  networkList,
  postgresUrl,
  rateLimitsMultiplier,
  redisUrl,
  retentionDays,
  rolesSetting,
  socketsMax,
  together,
} from './settings/fields.ts';
export { linkSettings, linkShape } from './settings/link.ts';
export { completeS3, objectStoreSettings, requireObjectStore } from './settings/object-store.ts';
export { webhookSettings } from './settings/outgoing.ts';
export { type TlsFiles, tlsFiles } from './settings/tls.ts';
export { boundedLines } from './telemetry/bounded-lines.ts';
export { measureCalls } from './telemetry/calls.ts';
export { countFailures, createLogger, type Logger } from './telemetry/logger.ts';
export { createMetrics, type Metrics } from './telemetry/metrics.ts';
export { currentScope, inScope } from './telemetry/scope.ts';
export { startTracing } from './telemetry/tracing/start.ts';
export type { Span, Tracing } from './telemetry/tracing/tracing.ts';
