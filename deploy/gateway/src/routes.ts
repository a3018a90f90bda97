import {
  type ErrorShape,
  extraRoutes,
  type Host,
  type Operation,
  publicOperations,
  type ServiceName,
  wireOperations,
} from '@switchboard/contracts';

/** The public hosts. */
export const publicHosts = ['api', 'events', 'replay'] as const satisfies readonly Host[];
export type PublicHost = (typeof publicHosts)[number];

/** How the gateway handles one path. */
export interface Route {
  path: string;
  /** The methods of the path's operations. The service rejects others with 405 and Allow. */
  methods: string[];
  service: ServiceName;
  /** Whether its connections stay open: a WebSocket or an event stream. */
  isSocket: boolean;
  /** The size limit of a request body as sent. Undefined for a socket. */
  maxBytes: number | undefined;
  /** The error shape of the path. */
  shape: ErrorShape;
}

/** The body limit of routes without an operation. The same default as in contracts. */
const MAX_BYTES = 262_144;

/** Returns the routes of a host, one per path, sorted by path. */
export function routesOf(host: PublicHost): Route[] {
  const routes = new Map<string, Route>();
  const wires = wireOperations.filter(({ hosts }) => hosts.includes(host));
  for (const { path, method, service, ...rest } of [
    ...publicOperations.filter((one) => one.host === host),
    ...wires,
  ]) {
    const isSocket = isStream(rest);
    const maxBytes = rest.maxWireBytes ?? rest.maxBodyBytes;
    const before = routes.get(path);
    routes.set(path, {
      path,
      methods: [...(before?.methods ?? []), method.toUpperCase()].sort(),
      service,
      isSocket,
      maxBytes: isSocket ? undefined : Math.max(before?.maxBytes ?? 0, maxBytes),
      shape: rest.errorShape,
    });
  }
  for (const { path, service, kind, methods = ['GET'] } of host === 'api' ? extraRoutes : []) {
    const isSocket = kind === 'socket';
    const maxBytes = isSocket ? undefined : MAX_BYTES;
    routes.set(path, { path, methods: [...methods], service, isSocket, maxBytes, shape: 'B' });
  }
  return [...routes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function isStream({ responses }: Pick<Operation, 'responses'>): boolean {
  return Object.values(responses).some(
    (response) => 'content' in response && response.content?.['text/event-stream'] !== undefined,
  );
}

/**
 * Returns a regular expression for a path as sent, with or without a query. Matching the undecoded path keeps an
 * identifier with an encoded slash in one segment, as the service does.
 */
export function pattern(path: string): string {
  const parts = path.split(/\{.+?\}/).map((literal) => literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return `^${parts.join('[^/?]+')}(\\?|$)`;
}
