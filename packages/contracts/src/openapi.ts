import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi';
import type { Host, Operation, ServiceName } from './operation/operation.ts';
import { consoleOperations, operations, servedAs } from './operations.ts';

/** The OpenAPI 3.1 document, as JSON. */
export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>;

export interface OpenApiOptions {
  /** The services to include. Default: all. */
  services?: readonly ServiceName[];
  /** Whether to include the management API. Default: false. */
  management?: boolean;
  /** The URL of each host, if known. */
  servers?: Partial<Record<Host, string>>;
}

/** URL placeholders for hosts without an entry in `servers`. */
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
  management: 'The port of a service; not routed by the gateway',
};

export const API_INFO = {
  title: 'Switchboard',
  version: '0.1.0',
  description: [
    'Product analytics, feature flags and customer messaging.',
    'Generated identifiers are a prefix and a UUIDv7 in hex. Timestamps are RFC 3339 in UTC with milliseconds. Days are calendar days, YYYY-MM-DD. Lengths are in Unicode code points unless stated in bytes. Strings are stored byte for byte; NUL and unpaired surrogates are rejected.',
    'Every response has X-Request-Id. Requests are checked in this order: credential (401), project (404, 403), request (400), plan (402), everything else. 429 and 503 responses have Retry-After. Unknown properties get 400 in console and management operations; elsewhere they are ignored unless additionalProperties is false.',
    'GET /v1/flags/socket and GET /v1/messenger/socket are WebSockets. They and their messages are described in [asyncapi.json](asyncapi.json) (AsyncAPI 3.0).',
  ].join('\n\n'),
};

/** Generates the OpenAPI 3.1 document of the selected operations. */
export function openApiDocument({
  services,
  management = false,
  servers = {},
}: OpenApiOptions = {}): OpenApiDocument {
  // Includes each operation once: a management operation contains the path of its twin.
  const left = management
    ? new Set(consoleOperations)
    : new Set(operations.filter(({ host }) => host === 'management'));
  const described = operations
    .filter((operation) => (services?.includes(operation.service) ?? true) && !left.has(operation))
    .sort(byReadingOrder);
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
    info: API_INFO,
    servers: [...addresses.values()],
    tags: [...new Set(described.flatMap(({ tags = [] }) => tags))].map((name) => ({ name })),
  });
}

const methodOrder = ['get', 'post', 'put', 'patch', 'delete'];

/** Sorts the public API before management, then by tag and path, with reads before writes. */
function byReadingOrder(one: Operation, other: Operation): number {
  return (
    Number(one.host === 'management') - Number(other.host === 'management') ||
    operations.findIndex(({ tags }) => tags?.[0] === one.tags?.[0]) -
      operations.findIndex(({ tags }) => tags?.[0] === other.tags?.[0]) ||
    one.path.localeCompare(other.path) ||
    methodOrder.indexOf(one.method) - methodOrder.indexOf(other.method)
  );
}

function pathOf(operation: Operation, servers: ReturnType<typeof serverObject>[]): RouteConfig {
  const { service, host, credential, permission, companyIn: _, errorShape, ...bounded } = operation;
  const { maxBodyBytes, maxWireBytes, maxBodyValues, unparsedArray: __, ...route } = bounded;
  const [, twin] = servedAs(operation);
  return {
    ...route,
    ...(servers.length > 0 ? { servers } : {}),
    'x-service': service,
    'x-host': host,
    'x-credential': credential,
    ...(permission ? { 'x-permission': permission } : {}),
    ...(twin ? { 'x-console-path': twin.path } : {}),
    ...(route.request?.body ? { 'x-max-body-bytes': maxBodyBytes } : {}),
    ...(route.request?.body?.content['application/json'] ? { 'x-max-body-values': maxBodyValues } : {}),
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
            [name]: { default: `http://localhost`, description: 'The URL of your deployment.' },
          },
        }
      : {}),
  };
}

function registerSecurity(registry: OpenAPIHono['openAPIRegistry']): void {
  registry.registerComponent('securitySchemes', 'projectKey', {
    type: 'http',
    scheme: 'bearer',
    description:
      'A project key: pk_<region>_<32 characters>. Project keys are public. A key of another region gets 403.',
  });
  registry.registerComponent('securitySchemes', 'projectKeyInQuery', {
    type: 'apiKey',
    in: 'query',
    name: 'api_key',
    description: 'The project key, for image loads and event streams, which cannot set headers.',
  });
  registry.registerComponent('securitySchemes', 'projectKeyInHeader', {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The project key, for clients that do not send Authorization.',
  });
  registry.registerComponent('securitySchemes', 'conversationToken', {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Conversation-Token',
    description: 'Returned once, when the conversation is opened. Send it together with the project key.',
  });
  registry.registerComponent('securitySchemes', 'accessToken', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The access token of a person. Each operation of the console and of management needs a permission, granted by a role in the company; for management also by the token.',
  });
}
