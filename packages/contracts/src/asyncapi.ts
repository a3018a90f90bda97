import { OpenAPIHono, type z } from '@hono/zod-openapi';
import { type Channel, channels } from './live/channels.ts';
import { API_INFO } from './openapi.ts';
import type { ServiceName } from './operation/operation.ts';

export interface AsyncApiOptions {
  /** The services to include. Default: all. */
  services?: readonly ServiceName[];
  /** The URL of the API, if known. */
  api?: string | undefined;
}

const PROTOCOLS = { socket: 'ws', stream: 'http' } as const;

/** Generates the AsyncAPI 3.0 document of the WebSockets and event streams. `send` means sent by Switchboard. */
export function asyncApiDocument({ services, api }: AsyncApiOptions = {}) {
  const included = channels.filter(({ service }) => services?.includes(service) ?? true);
  const kinds = [...new Set(included.map(({ kind }) => kind))];
  return {
    asyncapi: '3.0.0',
    info: {
      ...API_INFO,
      description:
        'The WebSockets and event streams. All other operations are in /openapi.json of the same host.',
    },
    defaultContentType: 'application/json',
    servers: Object.fromEntries(kinds.map((kind) => [kind, serverOf(kind, api)])),
    channels: Object.fromEntries(included.map((channel) => [channel.name, channelOf(channel)])),
    operations: Object.fromEntries(included.flatMap(operationsOf)),
    components: {
      messages: Object.fromEntries(included.flatMap(messagesOf)),
      schemas: schemasOf(included.flatMap(({ sends, receives }) => [...sends, ...receives])),
      securitySchemes: {
        projectKey: {
          type: 'httpApiKey',
          in: 'query',
          name: 'api_key',
          description: 'A project key: pk_...',
        },
      },
    },
  };
}

const refTo = (...path: string[]) => ({ $ref: ['#', ...path].join('/') });

const messagesOf = ({ sends, receives }: Channel) =>
  [...sends, ...receives].map(({ name, example }) => {
    const message = { name, payload: refTo('components', 'schemas', name), examples: [{ payload: example }] };
    return [name, message] as const;
  });

/** Returns the schemas by name, with the schemas that they reference, in the form of OpenAPI 3.1. */
function schemasOf(schemas: readonly { name: string; schema: z.ZodType }[]) {
  const generator = new OpenAPIHono();
  for (const { name, schema } of schemas) generator.openAPIRegistry.register(name, schema);
  return generator.getOpenAPI31Document({ openapi: '3.1.0', info: API_INFO }).components?.schemas ?? {};
}

/** Inline, because the query of a binding must not be a reference. */
const queryOf = ({ query }: Channel) => schemasOf([{ name: 'query', schema: query }])['query'];

function serverOf(kind: Channel['kind'], api: string | undefined) {
  const url = api === undefined ? undefined : new URL(api);
  const pathname = url?.pathname.replace(/\/$/, '');
  return {
    ...(url === undefined
      ? {
          host: '{host}',
          variables: { host: { default: 'localhost', description: 'The host of your deployment.' } },
        }
      : { host: url.host }),
    ...(pathname ? { pathname } : {}),
    protocol: `${PROTOCOLS[kind]}${url?.protocol === 'http:' ? '' : 's'}`,
    security: [refTo('components', 'securitySchemes', 'projectKey')],
  };
}

function channelOf(channel: Channel) {
  const { title, description, address, kind, sends, receives } = channel;
  return {
    address,
    title,
    description,
    servers: [refTo('servers', kind)],
    messages: Object.fromEntries(
      [...sends, ...receives].map((message) => [message.name, refTo('components', 'messages', message.name)]),
    ),
    ...(kind === 'socket' ? { bindings: { ws: { method: 'GET', query: queryOf(channel) } } } : {}),
  };
}

function operationsOf(channel: Channel) {
  const { name, title, kind, sends, receives } = channel;
  const bindings =
    kind === 'stream' ? { bindings: { http: { method: 'GET', query: queryOf(channel) } } } : {};
  const each = [
    ['send', sends],
    ['receive', receives],
  ] as const;
  return each
    .filter(([, messages]) => messages.length > 0)
    .map(([action, messages]) => [
      `${action}${name[0]?.toUpperCase()}${name.slice(1)}`,
      {
        action,
        title,
        channel: refTo('channels', name),
        messages: messages.map((message) => refTo('channels', name, 'messages', message.name)),
        ...bindings,
      },
    ]);
}
