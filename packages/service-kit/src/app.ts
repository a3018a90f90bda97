import { mountApiReference } from '@switchboard/api-reference';
import { type Operation, openApiDocument, type ServiceName } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import { Hono } from 'hono';
import { createAccessTokens } from './access-tokens.ts';
import { type ByteBudget, createByteBudget } from './byte-budget.ts';
import type { CommonConfig, ServiceContext } from './context.ts';
import { preflight } from './cors.ts';
import { type AccessDirectory, createCredentials } from './credentials.ts';
import type { KitEnv, ProjectAccess } from './env.ts';
import { errorResponse, toRejection } from './error-answers.ts';
import { NotFound, Rejection, Unavailable } from './errors.ts';
import { createHealth, type Health, mountHealth } from './health.ts';
import { type Implement, implementing } from './implement.ts';
import type { Metrics } from './metrics.ts';
import { observeRequests } from './observe-requests.ts';

interface AppOptions {
  service: ServiceName;
  context: ServiceContext<CommonConfig>;
  /** The directory's replica; absent in a service whose operations take no project. */
  directory?: AccessDirectory;
  /** Measured: whether it answers, and how busy its pool is. */
  database?: Pick<Database, 'ping' | 'inFlight' | 'poolSize'>;
}

export interface ServiceApp {
  hono: Hono<KitEnv>;
  health: Health;
  /** Where every byte of a body is counted; a handler that reads its own (`readBody`) counts it here too. */
  budget: ByteBudget;
  /** Serves an operation of the contracts: its credential, limits and validation come from the definition. */
  implement: Implement;
  /** The project of a key that came otherwise than with an operation, as a socket's does. Throws as those do. */
  projectKey(key: string | undefined): Promise<ProjectAccess>;
  /** The operations that are served, for a check against the contracts. */
  implemented: readonly Operation[];
}

/** A process serves the operations of every host on its own address, where its document is read. */
const ofThisProcess = { api: '/', events: '/', replay: '/', management: '/' };

/** The HTTP face that all services share: request ids, CORS, credentials, validation, errors, health, metrics. */
export function createApp({ service, context, directory, database }: AppOptions): ServiceApp {
  const { config, logger, metrics } = context;
  const hono = new Hono<KitEnv>();
  const health = createHealth();
  const budget = createByteBudget(config.MAX_BYTES_IN_FLIGHT);
  const consoleOrigin = new URL(config.CONSOLE_URL).origin;
  const credentials = createCredentials({
    region: config.REGION,
    directory,
    accessTokens: createAccessTokens({
      issuer: config.AUTH_ISSUER,
      audience: config.AUTH_AUDIENCE,
      jwksUrl: config.AUTH_JWKS_URL,
    }),
  });
  const implemented: Operation[] = [];
  const methodsByPath = new Map<string, Operation[]>();
  metrics.gauge('switchboard_bytes_in_flight', 'Request bodies held in memory, in bytes.', () =>
    budget.used(),
  );
  if (database !== undefined) measureDatabase(metrics, database);

  hono.use(observeRequests({ context, consoleOrigin }));

  hono.onError((error, c) => {
    const operation = c.get('operation');
    const rejection = toRejection(error);
    if (rejection === undefined) {
      logger.error({ route: operation?.path, error }, 'defect');
    } else if (rejection.status === 503) {
      logger.warn({ route: operation?.path, error }, 'unavailable');
    }
    const answer =
      rejection ?? new Rejection(500, 'INTERNAL', `This is our fault; tell us ${c.get('requestId')}.`);
    return errorResponse(operation?.errorShape ?? 'B', answer, c.get('errorCodes'));
  });

  hono.notFound((c) => {
    const path = c.req.path.slice(0, 200);
    return errorResponse(
      'B',
      new NotFound(`There is nothing at ${path}; see /openapi.json for what there is.`),
    );
  });

  mountHealth(hono, health);
  hono.get('/metrics', async (c) =>
    c.text(await metrics.registry.metrics(), 200, { 'Content-Type': metrics.registry.contentType }),
  );
  let document: string | undefined;
  hono.get('/openapi.json', (c) => {
    document ??= JSON.stringify(
      openApiDocument({ services: [service], management: true, servers: ofThisProcess }),
    );
    return c.body(document, 200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Access-Control-Allow-Origin': '*',
    });
  });
  mountApiReference(hono);

  const serve = implementing({ hono, budget, credentials, assertStarted });

  function assertStarted(): void {
    if (!health.isStarted()) throw new Unavailable('The service is starting; try again after Retry-After.');
  }

  /** Behind the first operation at a path: answers its preflights and refuses methods that nobody serves there. */
  function claimPath(operation: Operation): void {
    const path = operation.path.replaceAll(/\{(.+?)\}/g, ':$1');
    const known = methodsByPath.get(path);
    if (known !== undefined) {
      known.push(operation);
      return;
    }
    const here = [operation];
    methodsByPath.set(path, here);
    hono.use(path, async (c, next) => {
      const methods = here.map(({ method }) => method.toUpperCase());
      if (methods.includes('GET')) methods.push('HEAD');
      if (c.req.method === 'OPTIONS') return preflight(c, operation.credential, consoleOrigin, methods);
      if (methods.includes(c.req.method)) return next();
      c.set('operation', operation);
      const allow = methods.join(', ');
      throw new Rejection(405, 'BAD_REQUEST', `${c.req.method} is not served here, only ${allow}.`, {
        Allow: allow,
      });
    });
  }

  return {
    hono,
    health,
    budget,
    implemented,
    async projectKey(key) {
      assertStarted();
      return credentials.projectKey(key);
    },
    implement(operation, handler, options) {
      implemented.push(operation);
      serve(operation, handler, options);
      claimPath(operation);
    },
  };
}

function measureDatabase(metrics: Metrics, database: NonNullable<AppOptions['database']>): void {
  metrics.dependency('database', database.ping);
  metrics.gauge(
    'switchboard_database_pool_size',
    'Connections that the pool may open.',
    () => database.poolSize,
  );
  metrics.gauge(
    'switchboard_database_in_flight',
    'Queries and transactions that run or wait for a connection.',
    database.inFlight,
  );
}
