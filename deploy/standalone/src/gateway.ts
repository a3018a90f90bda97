import { mountApiReference } from '@switchboard/api-reference';
import {
  asyncApiDocument,
  extraRoutes,
  type Host,
  managementOperations,
  OPTIONAL_SERVICE_NAMES,
  openApiDocument,
  publicOperations,
  routingPath,
  SERVICE_NAMES,
  type ServiceName,
  wireOperations,
} from '@switchboard/contracts';
import { requestId } from '@switchboard/http';
import { type Context, Hono } from 'hono';
import type { Pages } from './pages/pages.ts';

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

interface GatewayOptions {
  /** The services in this process, by name. */
  services: ReadonlyMap<ServiceName, Fetch>;
  host: Host;
  /** The address of each host, for the OpenAPI document. */
  servers: Record<Host, string>;
  /** The console, which serves the Model Context Protocol. */
  console?: Fetch;
  /** Pages for browsers, in addition to the API. */
  pages?: Pick<Pages, 'app' | 'missing'>;
}

/**
 * Creates one of standalone's addresses. It passes each path of this host to its service in this process, together
 * with the caller's connection, so that services see the caller's address.
 */
export function createGateway({
  services,
  host,
  servers,
  console,
  pages,
}: GatewayOptions): Hono<{ Bindings: object }> {
  const gateway = new Hono<{ Bindings: object }>();
  const operations = [...publicOperations, ...managementOperations];
  const here = operations.filter((operation) => operation.host === host);
  // Excludes the SDK files: the pages serve them, because this process builds them.
  const extra = host === 'api' ? extraRoutes.filter(({ kind }) => kind !== 'files') : [];
  const wires = wireOperations.filter(({ hosts }) => hosts.includes(host));
  const paths = new Map<string, ServiceName>(
    [...here, ...wires, ...extra].map(({ path, service }) => [routingPath(path), service]),
  );
  for (const [path, service] of paths) {
    const fetch = services.get(service);
    if (fetch !== undefined) gateway.all(path, (c) => fetch(c.req.raw, c.env));
  }
  const identity = services.get('identity');
  if (host === 'api' && identity !== undefined) gateway.all('/identity/*', (c) => identity(c.req.raw, c.env));

  if (console !== undefined) gateway.all('/mcp', (c) => console(c.req.raw, c.env));

  // Services set the request id of their own responses. The routes below belong to the gateway.
  gateway.use(async (c, next) => {
    c.header('X-Request-Id', requestId(c.req.header('X-Request-Id')));
    c.header('X-Content-Type-Options', 'nosniff');
    await next();
  });
  const notFound = (c: Context, message: string) =>
    c.json(
      { error: { code: 'NOT_FOUND', message: `Not found: ${c.req.path.slice(0, 200)}${message}` } },
      404,
    );
  for (const operation of operations.filter((one) => one.host !== host)) {
    gateway.all(routingPath(operation.path), (c) =>
      notFound(c, ` is served at ${servers[operation.host]}${c.req.path.slice(0, 200)}.`),
    );
  }
  if (pages !== undefined) gateway.route('/', pages.app);
  const docs = `${servers.api}/docs`;
  gateway.get('/', (c) => c.json({ name: 'Switchboard', docs, openapi: `${servers.api}/openapi.json` }));
  mountApiReference(gateway, {
    origins: Object.values(servers),
    ...(pages === undefined ? {} : { links: { Switchboard: '/', Guides: '/guides' } }),
    documents: {
      'openapi.json': () => openApiDocument({ management: host === 'management', servers }),
      'asyncapi.json': () => asyncApiDocument({ api: servers.api }),
    },
  });
  gateway.notFound((c) => pages?.missing(c) ?? notFound(c, `. See ${docs} for the reference.`));
  return gateway;
}

const SERVICE_PATH = '/services';

/** Mounts each service whole, so that the console reads its health and metrics as those of a process. */
export function mountServices(
  gateway: Hono<{ Bindings: object }>,
  services: ReadonlyMap<ServiceName, Fetch>,
) {
  for (const [name, fetch] of services) {
    const path = `${SERVICE_PATH}/${name}`;
    gateway.all(`${path}/*`, (c) => {
      const url = new URL(c.req.url);
      url.pathname = url.pathname.slice(path.length);
      // Services read the body from the connection.
      const { method, headers } = c.req.raw;
      return fetch(new Request(url, { method, headers }), c.env);
    });
  }
}

/** Returns the address of each service below the management address. */
export const managementUrls = (management: string): Record<string, string> =>
  Object.fromEntries(
    [...SERVICE_NAMES, ...OPTIONAL_SERVICE_NAMES].map((name) => [
      name,
      `${management}${SERVICE_PATH}/${name}`,
    ]),
  );

interface HealthOf {
  name: ServiceName;
  service: { app: { health: { problems(): Promise<Record<string, string>> } } };
}

/** Mounts the health checks. It is ready when every service is ready. */
export function mountHealth(gateway: Hono<{ Bindings: object }>, services: readonly HealthOf[]): void {
  gateway.get('/health/live', (c) => c.json({ status: 'live' }));
  gateway.get('/health/ready', async (c) => {
    const found = await Promise.all(
      services.map(async ({ name, service }) => [name, await service.app.health.problems()] as const),
    );
    const problems = Object.fromEntries(found.filter(([, of]) => Object.keys(of).length > 0));
    const ready = Object.keys(problems).length === 0;
    return c.json({ status: ready ? 'ready' : 'not ready', problems }, ready ? 200 : 503);
  });
}
