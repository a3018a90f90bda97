/**
 * The parts that all services share. The folders, lowest first; none imports a higher one (checked by e2e/structure):
 *
 * settings   environment variables, parsed once
 * telemetry  logs, metrics, traces
 * audit      who did what: the entries of a service
 * http       server, requests, responses, errors, validation
 * secrets    encryption at rest, tokens
 * limits     rate limits
 * outgoing   requests to third parties
 * access     access tokens, project keys, memberships
 * lifecycle  the application of a service, its start and its stop
 * upkeep     the removal of old data, and slow changes of rows
 */
export type { ByteBudget } from '@switchboard/resilience';
export type { AccessDirectory } from './access/credentials.ts';
export { type Grant, grantOf, requireStillGranted } from './access/grants.ts';
export { type ProjectOfRegion, projectOfRegion } from './access/project-of-region.ts';
export { refusalOfKey, type SocketRefusal, socketAccess, socketCredential } from './access/socket-access.ts';
export { auditDetails } from './audit/request.ts';
export { type AuditTrail, createAuditTrail, type ScheduledWork } from './audit/trail.ts';
export type { Bodies } from './http/body/bodies.ts';
export { chunkHash } from './http/body/chunk-hash.ts';
export { type Bytes, chooseEncoding, type Encoding, encodeAll } from './http/body/encodings.ts';
export { answerPrepared, etagOf, isFresh, type Prepared, prepareJson } from './http/conditional.ts';
export { projectKeyOf } from './http/credentials.ts';
export type { Authority, OperationEnv, Person, ProjectAccess } from './http/env.ts';
export {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  PayloadTooLarge,
  PlanRequired,
  PreconditionFailed,
  RateLimited,
  Rejection,
  Unauthorized,
  Unavailable,
  UnsupportedEncoding,
} from './http/errors.ts';
export { projectHolder } from './http/holder.ts';
export type { Implement, Quota } from './http/implement.ts';
export {
  decodeCursor,
  decodePlace,
  decodeText,
  encodeCursor,
  encodePlace,
  encodeText,
  type Page,
  type PageRequest,
  type Place,
  toPage,
  unknownCursor,
} from './http/paging.ts';
export { headerOf, requestId } from './http/request-info.ts';
export { type HttpServer, ListenError, listen } from './http/server.ts';
export { createApp, type ServiceApp } from './lifecycle/app.ts';
export { type BackgroundConsumer, createConsumer } from './lifecycle/consumer.ts';
export { type Clock, type CommonConfig, type ServiceContext, systemClock } from './lifecycle/context.ts';
export { directUrl, migrateDatabase, openServiceDatabase } from './lifecycle/database.ts';
export { defineService, type RunningService, type StartableService } from './lifecycle/define-service.ts';
export { kafkaConnection, openEventLog, openWholeLog } from './lifecycle/event-log.ts';
export { openObjects } from './lifecycle/object-store.ts';
export { debugOnSignal } from './lifecycle/process/log-level.ts';
export { SHUTDOWN_MS, shutDownInOrder } from './lifecycle/process/shutdown.ts';
export { type BackgroundPublisher, createPublisher, type Unpublished } from './lifecycle/publisher.ts';
export { serviceContext, startWithRetries } from './lifecycle/runner.ts';
export type { Service, ServiceDefinition } from './lifecycle/service.ts';
export { openQuotas, type Throttle } from './limits/quota.ts';
export { type CreateRateLimit, createRateLimits, type RateLimit } from './limits/rate-limits.ts';
export { openRedis } from './limits/redis.ts';
export { strangersNames } from './outgoing/names.ts';
export { createSender, type Send, SendFailed } from './outgoing/sender.ts';
export { newApiToken } from './secrets/api-token.ts';
export { createEncryption, type Encryption, encryptionSecrets } from './secrets/encryption.ts';
export { reencryptAll } from './secrets/re-encryption.ts';
export { hashToken, newToken } from './secrets/tokens.ts';
export { commonSettings } from './settings/common.ts';
export { ConfigError, parseConfig } from './settings/config.ts';
export { eventLogSettings } from './settings/event-log.ts';
export {
  backfillRate,
  httpUrl,
  integerSetting,
  networkList,
  postgresUrl,
  redisUrl,
  retentionDays,
  rolesSetting,
  together,
} from './settings/fields.ts';
export { linkSettings, linkShape } from './settings/link.ts';
export { completeS3, objectStoreSettings, requireObjectStore } from './settings/object-store.ts';
export { measureCalls } from './telemetry/calls.ts';
export { countFailures, createLogger, type Logger } from './telemetry/logger.ts';
export { createMetrics, type Metrics } from './telemetry/metrics.ts';
export { type Backfill, type Backfills, createBackfills } from './upkeep/backfill.ts';
export { createRetention, type ExpiringData, type Removed, type Retention } from './upkeep/retention.ts';
