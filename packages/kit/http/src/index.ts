/**
 * The request pipeline. The folders, lowest first; none imports a higher one (checked by e2e/structure):
 *
 * audit     who did what: the entries of a service
 * exchange  a request and its response: metadata, headers, errors, pages
 * server    connections, TLS, draining
 * overload  fairness keys, quotas, rate limits, slow bodies
 * body      bodies within the byte budget: read, decompressed, parsed
 * access    access tokens, project keys, memberships
 * pipeline  from an operation of the contracts to its handler
 * service   the application of a service, its start and its stop
 */
export type { AccessDirectory } from './access/credentials.ts';
export { type Grant, grantOf, requireStillGranted } from './access/grants.ts';
export { type ProjectOfRegion, projectOfRegion, requireRegion } from './access/project-of-region.ts';
export { refusalOfKey, type SocketRefusal, socketAccess, socketCredential } from './access/socket-access.ts';
export { refusalOfStream, streamCredential } from './access/stream-access.ts';
export type { Audited, AuditedChange } from './audit/change.ts';
export type { AuditTrail, ScheduledWork } from './audit/trail.ts';
export type { Bodies } from './body/bodies.ts';
export { chunkHash } from './body/chunk-hash.ts';
export { preferredLanguage } from './exchange/accept-language.ts';
export {
  answerPrepared,
  etagOf,
  isFresh,
  joinObjects,
  type Prepared,
  prepareJson,
} from './exchange/conditional.ts';
export { authorization, basicUser, bearer, projectKeyOf } from './exchange/credentials.ts';
export { type Bytes, chooseEncoding, type Encoding, encodeAll } from './exchange/encodings.ts';
export type { Authority, Exchange, OperationEnv, Person, ProjectAccess, Sent } from './exchange/env.ts';
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
} from './exchange/errors.ts';
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
} from './exchange/paging.ts';
export { clientAddress, headerOf, requestId } from './exchange/request-info.ts';
export { requireSendable } from './exchange/sendable.ts';
export { fairnessKeyOfProject } from './overload/fairness-key.ts';
export { openQuotas, type Quota, type Throttle } from './overload/quota.ts';
export { type CreateRateLimit, createRateLimits, type RateLimit } from './overload/rate-limits.ts';
export type { Implement } from './pipeline/implement.ts';
export { validate } from './pipeline/validate.ts';
export type { ImplementWire } from './pipeline/wire.ts';
export { unwrapData } from './pipeline/wire-data.ts';
export { alreadySent } from './server/already-sent.ts';
export { type HttpServer, ListenError, listen } from './server/server.ts';
export type { RejectedRequest, ServiceApp } from './service/app.ts';
export {
  defineService,
  type OpenedService,
  type RunningService,
} from './service/define-service.ts';
export { type Part, runOnce } from './service/parts.ts';
export { startWithRetries } from './service/runner.ts';
export type { Backings, Service, ServiceDefinition } from './service/service.ts';
export { openAuditTrail, openReplica } from './service/standard-parts.ts';
