import {
  type ErrorShape,
  extraRoutes,
  type Host,
  interfaceOperations,
  type ServiceName,
} from '@switchboard/contracts';

/** The hosts that the public reaches. */
export const publicHosts = ['api', 'events', 'replay'] as const satisfies readonly Host[];
export type PublicHost = (typeof publicHosts)[number];

/** What the gateway does with one path. */
export interface Route {
  path: string;
  /** The methods that operations have there. The service itself refuses others, with 405 and Allow. */
  methods: string[];
  service: ServiceName;
  isSocket: boolean;
  /** Bound on a request body as sent; undefined for a socket. */
  maxBytes: number | undefined;
  /** How errors look there. */
  shape: ErrorShape;
}

/** What a body may weigh where no operation says: contracts' own default. */
const MAX_BYTES = 262_144;

/** The routes of a host, a path once, in the order of their paths. */
export function routesOf(host: PublicHost): Route[] {
  const routes = new Map<string, Route>();
  for (const { path, method, service, host: at, ...facts } of interfaceOperations) {
    if (at !== host) continue;
    const maxBytes = facts.maxWireBytes ?? facts.maxBodyBytes;
    const before = routes.get(path);
    routes.set(path, {
      path,
      methods: [...(before?.methods ?? []), method.toUpperCase()].sort(),
      service,
      isSocket: false,
      maxBytes: Math.max(before?.maxBytes ?? 0, maxBytes),
      shape: facts.errorShape,
    });
  }
  for (const { path, service, kind } of host === 'api' ? extraRoutes : []) {
    const isSocket = kind === 'socket';
    const maxBytes = isSocket ? undefined : MAX_BYTES;
    routes.set(path, { path, methods: ['GET'], service, isSocket, maxBytes, shape: 'B' });
  }
  return [...routes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Matches a path as it was sent, with or without a query. As sent, so that an identifier with an encoded slash
 * stays one part of the path, as it is for the service.
 */
export function pattern(path: string): string {
  const parts = path.split(/\{.+?\}/).map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return `^${parts.join('[^/?]+')}(\\?|$)`;
}
