/**
 * What every service does the same way. The folders, lowest first; none imports a higher one (e2e/structure holds it):
 *
 * settings   environment variables, parsed once
 * telemetry  logs, metrics, traces
 * http       server, requests, responses, errors, validation
 * secrets    encryption at rest, tokens
 * limits     rate limits
 * outgoing   requests to third parties
 * access     access tokens, project keys, memberships
 * lifecycle  the application of a service, its start and its stop
 */
export type { ByteBudget } from '@switchboard/resilience';
export type { AccessDirectory } from './access/credentials.ts';
export { type ProjectOfRegion, projectOfRegion } from './access/project-of-region.ts';
export { refusalOfKey, type SocketRefusal, socketAccess } from './access/socket-access.ts';
export type { Bodies } from './http/body/bodies.ts';
export { chunkHash } from './http/body/chunk-hash.ts';
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
export { currentHolder, projectHolder } from './http/holder.ts';
export type { Implement, Quota } from './http/implement.ts';
export { headerOf, requestId } from './http/request-info.ts';
export { type HttpServer, ListenError, listen } from './http/server.ts';
export { createApp, type ServiceApp } from './lifecycle/app.ts';
export { type BackgroundConsumer, createConsumer } from './lifecycle/consumer.ts';
export { type Clock, type CommonConfig, type ServiceContext, systemClock } from './lifecycle/context.ts';
export { defineService, type RunningService, type StartableService } from './lifecycle/define-service.ts';
export { openEventLog } from './lifecycle/event-log.ts';
export { openObjects } from './lifecycle/object-store.ts';
export { serviceContext, startWithRetries } from './lifecycle/runner.ts';
export type { Service, ServiceDefinition } from './lifecycle/service.ts';
export { shutDownInOrder } from './lifecycle/shutdown.ts';
export { openQuotas } from './limits/quota.ts';
export { createRateLimits, type RateLimit } from './limits/rate-limits.ts';
export { openRedis } from './limits/redis.ts';
export { strangersNames } from './outgoing/names.ts';
export { createSender, type Send, SendFailed } from './outgoing/sender.ts';
export { createEncryption, type Encryption, encryptionSecrets } from './secrets/encryption.ts';
export { reencryptAll } from './secrets/re-encryption.ts';
export { hashToken, newToken } from './secrets/tokens.ts';
export { commonSettings } from './settings/common.ts';
export { ConfigError, parseConfig } from './settings/config.ts';
export { eventLogSettings } from './settings/event-log.ts';
export {
  httpUrl,
  integerSetting,
  networkList,
  postgresUrl,
  redisUrl,
  rolesSetting,
  together,
} from './settings/fields.ts';
export { objectStoreSettings, requireObjectStore, s3Settings } from './settings/object-store.ts';
export { createLogger, type Logger } from './telemetry/logger.ts';
export { createMetrics, type Metrics } from './telemetry/metrics.ts';
