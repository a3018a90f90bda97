import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { type ErrorMeaning, type ErrorShape, errorResponse, exampleProblem } from './error-responses.ts';
import { MANAGE_PERMISSION, type Permission, permissionGrants } from './permissions.ts';

/** The services of every deployment. */
export const SERVICE_NAMES = [
  'catalogue',
  'collaboration',
  'messenger',
  'flags',
  'ingestion',
  'archive',
  'analytics',
] as const;

/** Services that a deployment may do without. */
export const OPTIONAL_SERVICE_NAMES = ['identity', 'delivery'] as const;

/** The service that implements an operation. */
export type ServiceName = (typeof SERVICE_NAMES | typeof OPTIONAL_SERVICE_NAMES)[number];

/**
 * The host of an operation: `api` is `{base_url}`, `events` is `{eu_api_url}`, `replay` is `{eu_replay_url}`,
 * `management` is the port of a service and not routed by the gateway.
 */
export type Host = 'api' | 'events' | 'replay' | 'management';

/**
 * How the caller authenticates. `conversation` is a project key and a conversation token. `ingestion` is a project
 * key in the header or in `api_key` of the body. `management` is an access token, personal token or service token
 * with the operation's permission. `console` is the same, but permissions in the access token do not count.
 * `access-token` is like `console`, and callers must be members of the company that owns the project.
 */
export type Credential =
  | 'public'
  | 'project-key'
  | 'conversation'
  | 'ingestion'
  | 'access-token'
  | 'console'
  | 'management';

/**
 * The properties that routing, authentication, limits and the gateway's route table are generated from. It is a type,
 * because an interface lacks the implicit index signature that the `x-` keys of RouteConfig require.
 */
export type OperationMetadata = {
  readonly operationId: string;
  readonly service: ServiceName;
  readonly host: Host;
  readonly credential: Credential;
  /** The permission that a caller with an access token needs. Operations about the caller alone have none. */
  readonly permission?: Permission;
  /**
   * For a project that does not exist, the body contains the company that the roles apply to, and the handler
   * checks the permission.
   */
  readonly companyIn?: 'body';
  readonly errorShape: ErrorShape;
  /** Maximum size of the request body in bytes, enforced before parsing. */
  readonly maxBodyBytes: number;
  /** Maximum size of the request body as sent, before decompression. Default: maxBodyBytes. */
  readonly maxWireBytes?: number;
  /** Maximum number of `{`, `[` and `,` outside the texts of a JSON body, enforced before parsing. */
  readonly maxBodyValues: number;
  /**
   * The name of an array of the body with items that are checked as JSON and kept as bytes. They are not parsed to
   * objects, and `maxBodyValues` does not count them. The schema of the array accepts UnparsedItems.
   */
  readonly unparsedArray?: string | undefined;
};

export type Operation = RouteConfig & OperationMetadata;

const schemes: Record<Credential, Record<string, string[]>[]> = {
  public: [],
  'project-key': [{ projectKey: [] }],
  conversation: [{ projectKey: [], conversationToken: [] }],
  ingestion: [{ projectKey: [] }],
  'access-token': [{ accessToken: [] }],
  console: [{ accessToken: [] }],
  management: [{ accessToken: [] }],
};

type Definition = Omit<RouteConfig, 'operationId' | 'security' | 'tags'> &
  Omit<OperationMetadata, 'maxBodyBytes' | 'maxBodyValues'> & {
    /** The tag in the OpenAPI document. */
    tag: string;
    maxBodyBytes?: number;
    maxBodyValues?: number;
    /** The errors beyond those implied by the credential and the body, with their meaning, by status. */
    errors?: Record<number, ErrorMeaning>;
  };

/**
 * Defines an operation. Adds the errors implied by its credential and body to `responses` for the OpenAPI document.
 * Its type has the success responses only, because errors are thrown.
 */
export function operation<P extends string, D extends Definition & { path: P }>(
  definition: D & { path: P },
): D & OperationMetadata {
  return complete(definition) as D & ReturnType<typeof complete>;
}

/** Returns the path of an operation in the syntax of Hono's router: `/things/:id` for `/things/{id}`. */
export function routingPath(path: string): string {
  return path.replaceAll(/\{(.+?)\}/g, ':$1');
}

function complete({ errors, tag, maxBodyBytes = 262_144, maxBodyValues = 10_000, ...route }: Definition) {
  const responses: Record<string, RouteConfig['responses'][string]> = { ...route.responses };
  for (const [status, meaning] of Object.entries({ ...commonErrors(route, maxBodyBytes), ...errors })) {
    responses[status] ??= errorResponse({ shape: route.errorShape, status: Number(status), meaning });
  }
  const created = createRoute({
    ...route,
    tags: [tag],
    responses,
    security: [
      ...schemes[route.credential],
      ...(hasField(route.request?.headers, 'X-API-Key') ? [{ projectKeyInHeader: [] }] : []),
      ...(hasField(route.request?.query, 'api_key') ? [{ projectKeyInQuery: [] }] : []),
    ],
  } as RouteConfig);
  return Object.assign(created, { maxBodyBytes, maxBodyValues });
}

/** Returns whether a schema has a field. A project key may be sent in the fields `X-API-Key` and `api_key`. */
function hasField(schema: unknown, name: string): boolean {
  return schema instanceof z.ZodObject && name in schema.shape;
}

function commonErrors(
  { credential, permission, request }: Pick<Definition, 'credential' | 'permission' | 'request'>,
  maxBodyBytes: number,
): Record<number, ErrorMeaning> {
  const invalid = 'Invalid request. The message names the field and the problem.';
  return {
    ...(request && credential !== 'public'
      ? { 400: { description: invalid, message: exampleProblem(request) ?? invalid } }
      : {}),
    ...accessErrors[credential],
    ...(permission === undefined ? {} : permissionError(permission)),
    ...(request?.body ? bodyErrors(maxBodyBytes) : {}),
    500: {
      description: 'Internal error. Quote X-Request-Id when you report it.',
      message: 'Internal error. Report request id 0198c5f1-6d2a-7c3e-9f40-5b8d2e1a7c64.',
    },
    503: 'Service temporarily unavailable. Retry after the time in Retry-After.',
  };
}

const bodyErrors = (maxBodyBytes: number): Record<number, ErrorMeaning> => ({
  408: {
    description: 'The request body arrives too slowly.',
    message: 'body: fewer than 10240 bytes received in 10 s. Send it again.',
  },
  413: { description: 'The request body is too large.', message: `body: larger than ${maxBodyBytes} bytes` },
  415: {
    description: 'Unsupported Content-Encoding.',
    message: 'Content-Encoding lzma: not supported. Send gzip, deflate, br, zstd or none.',
  },
});

const keyErrors = {
  401: { description: 'The project key is missing or invalid.', message: 'Invalid project key.' },
  403: {
    description: 'The project key belongs to another region.',
    message: 'The project key belongs to region us; this host serves region eu.',
  },
};

const tokenError = {
  description: 'The access token is missing or invalid.',
  message: 'Invalid access token.',
};

const accessErrors: Record<Credential, Record<number, ErrorMeaning>> = {
  public: {},
  'project-key': keyErrors,
  ingestion: keyErrors,
  conversation: {
    ...keyErrors,
    401: {
      description: 'The project key or the conversation token is missing or invalid.',
      message: 'X-Service-Conversation-Token: missing, or not a valid token for this conversation.',
    },
  },
  'access-token': {
    401: tokenError,
    403: {
      description: 'The caller is not allowed to do this.',
      message: 'You are not a member of the company that owns this project.',
    },
    404: {
      description: 'The project or another resource in the path was not found.',
      message: 'Project not found.',
    },
  },
  console: { 401: tokenError },
  management: { 401: tokenError },
};

const permissionError = (permission: Permission): Record<number, ErrorMeaning> => ({
  403: {
    description: `The caller lacks the permission ${permission}.`,
    message: missingPermission(permission),
  },
});

/** Returns the message for a caller without a permission: who has it. */
export function missingPermission(permission: Permission): string {
  const { role, deployment } = permissionGrants[permission];
  const byRole = role === null ? [] : [`the role ${role} in the company`];
  const inToken = [...new Set([MANAGE_PERMISSION, deployment])].join(' or ');
  const byToken = deployment === null ? [] : [`${inToken} in the access token of a management call`];
  return `Requires ${permission}: ${[...byRole, ...byToken].join(', or ')}.`;
}
