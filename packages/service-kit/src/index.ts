export type { Person } from './access-tokens.ts';
export { createApp, type ServiceApp } from './app.ts';
export { backoffDelay, retry } from './backoff.ts';
export { type Body, readBody } from './body.ts';
export { type ByteBudget, createByteBudget } from './byte-budget.ts';
export { answerPrepared, isFresh, type Prepared, prepareJson } from './conditional.ts';
export {
  ConfigError,
  commonSettings,
  eventLogSettings,
  httpUrl,
  integerSetting,
  parseConfig,
  postgresUrl,
  redisUrl,
  rolesSetting,
} from './config.ts';
export { type Clock, type CommonConfig, type ServiceContext, systemClock } from './context.ts';
export { MANAGE_PERMISSION } from './credentials.ts';
export { defineService, type RunningService, type StartableService } from './define-service.ts';
export type { OperationEnv, ProjectAccess } from './env.ts';
export {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  PayloadTooLarge,
  PlanRequired,
  RateLimited,
  Rejection,
  Unauthorized,
  Unavailable,
  UnsupportedEncoding,
} from './errors.ts';
export { openEventLog } from './event-log.ts';
export type { Implement } from './implement.ts';
export { createLogger, type Logger } from './logger.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { objectStoreSettings, openObjects, s3Settings, together } from './objects.ts';
export { type ProjectOfRegion, projectOfRegion } from './project-of-region.ts';
export { createRateLimits, type RateLimit } from './rate-limits.ts';
export { openRedis } from './redis.ts';
export { requestId } from './request-facts.ts';
export { runService, serviceContext, startService } from './runner.ts';
export { createSealing, hashToken, newToken, type Sealing, sealingSecrets } from './sealing.ts';
export { sealAnew } from './sealing-anew.ts';
export { type HttpServer, ListenError, listen } from './server.ts';
export type { Service, ServiceDefinition } from './service.ts';
export { refusalOfKey, type SocketRefusal, socketAccess } from './socket-access.ts';
export { tracingSettings } from './tracing/settings.ts';
