import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { Host, Operation, ServiceName } from './operation.ts';
import { operations } from './operations.ts';

/** The OpenAPI 3.1 document, as JSON. */
export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

export interface OpenApiOptions {
  /** The services to describe; all when absent. */
  services?: readonly ServiceName[];
  /** Whether to describe the management API as well; not when absent. */
  management?: boolean;
  /** The address of each host, where it is known. */
  servers?: Partial<Record<Host, string>>;
}

/** Placeholders of the addresses, shown where `servers` names none. */
const placeholders: Record<Host, string> = {
  api: '{base_url}',
  events: '{eu_api_url}',
  replay: '{eu_replay_url}',
  management: '{management_url}',
};

const hostDescriptions: Record<Host, string> = {
  api: 'Flags, messaging, analytics and the public catalogue',
  events: 'Event ingestion: events, identify, group',
  replay: 'Session replay',
  management: "A service's own port; not reached through the gateway",
};

const info = {
  title: 'Switchboard',
  version: '0.1.0',
  description: [
    'Product analytics, feature flags and customer messaging.',
    'Identifiers made by the service are a prefix and a UUIDv7 in hex. Timestamps are RFC 3339 in UTC with milliseconds; days are real calendar days, YYYY-MM-DD. Lengths count Unicode code points unless bytes are named. Texts are kept byte for byte; NUL and unpaired surrogates are refused.',
    'Every answer carries X-Request-Id. Requests are judged in this order: credential (401), project (404, 403), request (400), plan (402), then the rest. 429 and 503 carry Retry-After. Properties that are not listed are ignored, except where additionalProperties is false.',
  ].join('\n\n'),
};

/** The OpenAPI 3.1 document of the operations asked for, made from their definitions. */
export function openApiDocument({
  services,
  management = false,
  servers = {},
}: OpenApiOptions = {}): OpenApiDocument {
  const described = operations
    .filter(
      ({ service, host }) => (services?.includes(service) ?? true) && (management || host !== 'management'),
    )
    .sort(asRead);
  const hosts = [...new Set(described.map(({ host }) => host))];
  const serverOf = (host: Host) => serverObject(host, servers[host]);
  const addresses = new Map(hosts.map(serverOf).map((server) => [server.url, server]));
  const generator = new OpenAPIHono();
  registerSecurity(generator.openAPIRegistry);
  for (const operation of described) {
    generator.openAPIRegistry.registerPath(
      pathOf(operation, addresses.size > 1 ? [serverOf(operation.host)] : []),
    );
  }
  return generator.getOpenAPI31Document({
    openapi: '3.1.0',
    info,
    servers: [...addresses.values()],
    tags: [...new Set(described.flatMap(({ tags = [] }) => tags))].map((name) => ({ name })),
  });
}

const methodsAsRead = ['get', 'post', 'put', 'patch', 'delete'];

/** Interface before management; within a service as its paths go, and a path's reads before its writes. */
function asRead(one: Operation, other: Operation): number {
  return (
    Number(one.host === 'management') - Number(other.host === 'management') ||
    operations.findIndex(({ tags }) => tags?.[0] === one.tags?.[0]) -
      operations.findIndex(({ tags }) => tags?.[0] === other.tags?.[0]) ||
    one.path.localeCompare(other.path) ||
    methodsAsRead.indexOf(one.method) - methodsAsRead.indexOf(other.method)
  );
}

function pathOf(operation: Operation, servers: ReturnType<typeof serverObject>[]): RouteConfig {
  const { service, host, credential, errorShape, maxBodyBytes, maxWireBytes, ...route } = operation;
  return {
    ...route,
    ...(servers.length > 0 ? { servers } : {}),
    'x-service': service,
    'x-host': host,
    'x-credential': credential,
    ...(route.request?.body ? { 'x-max-body-bytes': maxBodyBytes } : {}),
    ...(maxWireBytes ? { 'x-max-wire-bytes': maxWireBytes } : {}),
  };
}

function serverObject(host: Host, url = placeholders[host]) {
  const name = url.match(/^\{(\w+)\}$/)?.[1];
  return {
    url,
    description: hostDescriptions[host],
    ...(name
      ? {
          variables: {
            [name]: { default: `http://localhost`, description: 'The address of the deployment.' },
          },
        }
      : {}),
  };
}

function registerSecurity(registry: OpenAPIHono['openAPIRegistry']): void {
  registry.registerComponent('securitySchemes', 'projectKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'A project key, pk_<region>_<32 characters>. It is public; a key of another region is 403.',
  });
  registry.registerComponent('securitySchemes', 'projectKeyInQuery', {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The project key of a picture, since an image load sets no header.',
  });
  registry.registerComponent('securitySchemes', 'conversationToken', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Conversation-Token',
    description: 'Answered once, when the conversation is opened. Sent together with the project key.',
  });
  registry.registerComponent('securitySchemes', 'accessToken', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: "A person's access token. Management needs the permission service.manage.",
  });
}
