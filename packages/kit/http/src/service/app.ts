import { mountApiReference } from '@switchboard/api-reference';
import {
  asyncApiDocument,
  type Operation,
  openApiDocument,
  routingPath,
  type ServiceName,
  servedAs,
} from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import {
  boundedLines,
  type CommonConfig,
  createHealth,
  createSender,
  type Health,
  type Metrics,
  measureCalls,
  type ServiceContext,
} from '@switchboard/runtime';
import { Hono } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { createAccessTokens } from '../access/access-tokens.ts';
import { type AccessDirectory, createCredentials } from '../access/credentials.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { type Bodies, createBodies } from '../body/bodies.ts';
import { ANY_HEADER, preflight } from '../exchange/cors.ts';
import type { Exchange, KitEnv, ProjectAccess } from '../exchange/env.ts';
import { errorResponse, toRejection } from '../exchange/error-responses.ts';
import { NotFound, Rejection, Unavailable } from '../exchange/errors.ts';
import { notFoundMessage } from '../exchange/not-found.ts';
import { type Implement, implementing } from '../pipeline/implement.ts';
import { observeRequests } from '../pipeline/observe-requests.ts';
import { type ImplementWire, implementingWires } from '../pipeline/wire.ts';
import { mountHealth } from './health.ts';

interface AppOptions {
  service: ServiceName;
  context: ServiceContext<CommonConfig>;
  /** The directory's replica; absent in a service without operations on a project. */
  directory?: AccessDirectory;
  /** Absent in a service without operations that need a permission. */
  audit?: AuditTrail | undefined;
  /** The database, for metrics of its availability and its pool. */
  database?: Pick<Database, 'ping' | 'inFlight' | 'poolSize'>;
}

export interface ServiceApp {
  hono: Hono<KitEnv>;
  health: Health;
  /** For a handler that reads its own body. */
  bodies: Bodies;
  /** Serves an operation of the contracts. Its definition sets the credential, limits and validation. */
  implement: Implement;
  /** Serves an operation of another product's API. */
  implementWire: ImplementWire;
  /**
   * Calls a listener for each rejected request of a project that is known. It must be quick: the response waits for it.
   */
  onRejection(listener: (rejected: RejectedRequest) => void): void;
  /** Calls a listener for each response to a request of a project that is known. It must be quick as well. */
  onAnswer(listener: (exchange: Exchange, status: number) => void): void;
  /** Returns the project of a key that is not sent with an operation, such as a socket's. Throws as operations do. */
  projectKey(key: string | undefined): Promise<ProjectAccess>;
  /** The served operations, for a check against the contracts. */
  implemented: readonly Operation[];
}

/** A request that was answered with an error. */
export interface RejectedRequest {
  projectId: string;
  operationId: string;
  rejection: Rejection;
}

const JWKS_TIMEOUT_MS = 3_000;
const MAX_JWKS_BYTES = 262_144;

/** A process serves the operations of every host at its own address. */
const SERVERS = { api: '/', events: '/', replay: '/', management: '/' };

/** Creates the HTTP application of a service: request ids, CORS, credentials, validation, errors, health, metrics. */
export function createApp({ service, context, directory, audit, database }: AppOptions): ServiceApp {
  const { config, logger, metrics, whole } = context;
  const hono = new Hono<KitEnv>();
  const health = createHealth();
  const budget = context.budget.part();
  const bodies = createBodies(budget);
  const consoleOrigin = new URL(config.CONSOLE_URL).origin;
  const credentials = createCredentials({
    region: config.REGION,
    directory,
    accessTokens: createAccessTokens({
      issuer: config.AUTH_ISSUER,
      audience: config.AUTH_AUDIENCE,
      jwksUrl: config.AUTH_JWKS_URL,
      typ: config.AUTH_TOKEN_TYP,
      maxAge: config.AUTH_TOKEN_MAX_AGE_SECONDS,
      send: createSender({
        config,
        timeoutMs: JWKS_TIMEOUT_MS,
        maxBytes: MAX_JWKS_BYTES,
        measure: measureCalls({ metrics, dependency: 'identity provider' }),
      }),
    }),
  });
  const implemented: Operation[] = [];
  const paths = new TrieRouter<Operation[]>();
  const operationsByPath = new Map<string, Operation[]>();
  metrics.gauge('switchboard_bytes_in_flight', 'Bytes of request bodies held in memory.', budget.used);
  metrics.gauge(
    'switchboard_bytes_in_flight_limit',
    'Limit on bytes of bodies and unacknowledged records: MAX_BYTES_IN_FLIGHT.',
    () => budget.maxBytes,
  );
  if (database !== undefined) measureDatabase(metrics, database);
  if (directory?.reads !== undefined) metrics.cache('directory', directory.reads);

  let answered: ((exchange: Exchange, status: number) => void) | undefined;
  hono.fetch = observeRequests(hono.fetch, {
    logger,
    metrics,
    tracing: context.tracing,
    trustedHops: config.TRUSTED_PROXY_HOPS,
    consoleOrigin,
    onAnswer: (exchange, status) => answered?.(exchange, status),
  });

  const logFailure = boundedLines(logger);
  let notify: ((rejected: RejectedRequest) => void) | undefined;
  hono.onError((error, c) => {
    const { operation, requestId, projectId, errorCodes, errorHeaders } = c.env;
    const rejection = toRejection(error);
    const cause = { route: operation?.path, kind: error.name };
    if (rejection === undefined) {
      logFailure({ level: 'error', cause, details: () => ({ error }), message: 'request failed' });
    } else if (rejection.status === 503) {
      logFailure({ level: 'warn', cause, details: () => ({ error }), message: 'dependency unavailable' });
    }
    if (rejection !== undefined && operation !== undefined && projectId !== undefined)
      notify?.({ projectId, operationId: operation.operationId, rejection });
    const internal = new Rejection(500, 'INTERNAL', `Internal error. Report request id ${requestId}.`);
    const shape = operation?.errorShape ?? 'B';
    const flagKey = shape === 'ofrep' ? c.req.param('key') : undefined;
    return errorResponse(shape, rejection ?? internal, {
      codes: errorCodes,
      headers: errorHeaders,
      flagKey,
    });
  });

  // Answers preflights and unknown methods. Not a route, since Hono runs a single handler without middleware.
  hono.notFound((c) => {
    const { method, path } = c.req;
    const [here] = paths.match('ALL', path)[0][0] ?? [];
    const [operation] = here ?? [];
    if (here === undefined || operation === undefined)
      return errorResponse('B', new NotFound(notFoundMessage(path)));
    const methods = here.map((one) => one.method.toUpperCase());
    if (methods.includes('GET')) methods.push('HEAD');
    if (method === 'OPTIONS') {
      const headers = 'wire' in operation ? ANY_HEADER : undefined;
      return preflight(c, operation.credential, consoleOrigin, methods, headers);
    }
    c.env.operation = operation;
    const allow = methods.join(', ');
    throw new Rejection(405, 'BAD_REQUEST', `${method} is not supported here. Use ${allow}.`, {
      Allow: allow,
    });
  });

  mountHealth(hono, whole ?? health);
  hono.get('/', (c) => c.json({ service, documentation: '/docs' }));
  hono.get('/metrics', async (c) =>
    c.text(await (whole ?? metrics.registry).metrics(), 200, {
      'Content-Type': metrics.registry.contentType,
    }),
  );
  mountApiReference(hono, {
    documents: {
      'openapi.json': () => openApiDocument({ services: [service], management: true, servers: SERVERS }),
      'asyncapi.json': () => asyncApiDocument({ services: [service] }),
    },
  });

  const serve = implementing({ hono, bodies, credentials, audit, assertStarted });
  const serveWire = implementingWires({ hono, bodies, credentials, assertStarted });

  function assertStarted(): void {
    if (!health.isStarted()) throw new Unavailable('Service starting. Retry after the time in Retry-After.');
  }

  function claimPath(operation: Operation): void {
    const path = routingPath(operation.path);
    const known = operationsByPath.get(path);
    if (known !== undefined) {
      known.push(operation);
      return;
    }
    const here = [operation];
    operationsByPath.set(path, here);
    paths.add('ALL', path, here);
  }

  return {
    hono,
    health,
    bodies,
    implemented,
    onRejection(listener) {
      notify = listener;
    },
    onAnswer(listener) {
      answered = listener;
    },
    async projectKey(key) {
      assertStarted();
      return credentials.projectKey(key);
    },
    implement(operation, handler, options) {
      serve(operation, handler, options);
      for (const served of servedAs(operation)) {
        implemented.push(served);
        claimPath(served);
      }
    },
    implementWire(operation, handler, wireOptions) {
      serveWire(operation, handler, wireOptions);
      claimPath(operation);
    },
  };
}

function measureDatabase(metrics: Metrics, database: NonNullable<AppOptions['database']>): void {
  metrics.dependency('database', database.ping);
  metrics.gauge(
    'switchboard_database_pool_size',
    'Maximum number of connections of the pool.',
    () => database.poolSize,
  );
  metrics.gauge(
    'switchboard_database_in_flight',
    'Queries and transactions that are running or waiting for a connection.',
    database.inFlight,
  );
}
