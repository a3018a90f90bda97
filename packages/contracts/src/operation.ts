import { createRoute, type RouteConfig } from '@hono/zod-openapi';
import { type ErrorShape, errorAnswer, faultyRequest } from './error-answers.ts';

/** The service that answers an operation. */
export type ServiceName = 'catalogue' | 'collaboration' | 'messenger' | 'flags' | 'ingestion' | 'archive';

/**
 * Where an operation is called: `api` is `{base_url}`, `events` is `{eu_api_url}`, `replay` is
 * `{eu_replay_url}`, `management` is a service's own port and never reached through the gateway.
 */
export type Host = 'api' | 'events' | 'replay' | 'management';

/**
 * What a caller shows. `conversation` is a project key and a conversation token; `ingestion` is a project
 * key in the header or in the body's `api_key`; `management` is a person's token with `service.manage`.
 */
export type Credential =
  | 'public'
  | 'project-key'
  | 'conversation'
  | 'ingestion'
  | 'access-token'
  | 'management';

/**
 * Facts of an operation that routes, authentication, limits and the gateway's table are made from. (A type:
 * an interface lacks the implicit index signature that RouteConfig's `x-` keys ask for.)
 */
export type OperationFacts = {
  readonly operationId: string;
  readonly service: ServiceName;
  readonly host: Host;
  readonly credential: Credential;
  readonly errorShape: ErrorShape;
  /** Bound on the request body in bytes, held before it is parsed. */
  readonly maxBodyBytes: number;
  /** Bound on the request body as sent, before Content-Encoding is undone; maxBodyBytes when not given. */
  readonly maxWireBytes?: number;
};

export type Operation = RouteConfig & OperationFacts;

const schemes: Record<Credential, Record<string, string[]>[]> = {
  public: [],
  'project-key': [{ projectKey: [] }],
  conversation: [{ projectKey: [], conversationToken: [] }],
  ingestion: [{ projectKey: [] }],
  'access-token': [{ accessToken: [] }],
  management: [{ accessToken: [] }],
};

type Definition = Omit<RouteConfig, 'operationId' | 'security' | 'tags'> &
  Omit<OperationFacts, 'maxBodyBytes'> & {
    /** The heading of the OpenAPI document it stands under. */
    tag: string;
    maxBodyBytes?: number;
    /** Errors beyond those that follow from the credential and the body, by status, with their meaning. */
    errors?: Record<number, string>;
  };

/**
 * Defines one operation. The errors that follow from its credential and body are added to `responses` for
 * the OpenAPI document; its type keeps the success answers alone, since errors are thrown, not returned.
 */
export function operation<P extends string, D extends Definition & { path: P }>(
  definition: D & { path: P },
): D & OperationFacts & { getRoutingPath(): string } {
  return complete(definition) as D & OperationFacts & { getRoutingPath(): string };
}

function complete({ errors, tag, maxBodyBytes = 262_144, ...route }: Definition) {
  const responses: Record<string, RouteConfig['responses'][string]> = { ...route.responses };
  for (const [status, description] of Object.entries({ ...commonErrors(route), ...errors })) {
    responses[status] ??= errorAnswer({
      shape: route.errorShape,
      status: Number(status),
      description,
      message: status === '400' ? faultyRequest(route.request) : undefined,
    });
  }
  const created = createRoute({
    ...route,
    tags: [tag],
    responses,
    security: [...schemes[route.credential], ...(takesKeyInQuery(route) ? [{ projectKeyInQuery: [] }] : [])],
  } as RouteConfig);
  return Object.assign(created, { maxBodyBytes });
}

/** Whether a project key may travel as the query's `api_key`, where a caller can set no header. */
function takesKeyInQuery({ request }: Pick<Definition, 'request'>): boolean {
  const query = request?.query;
  return query !== undefined && 'shape' in query && 'api_key' in query.shape;
}

function commonErrors({
  credential,
  request,
}: Pick<Definition, 'credential' | 'request'>): Record<number, string> {
  return {
    ...(request && credential !== 'public' ? { 400: 'The request does not describe the thing.' } : {}),
    ...accessErrors[credential],
    ...(request?.body
      ? { 413: 'The body is larger than this operation takes.', 415: 'The Content-Encoding is not known.' }
      : {}),
    500: 'A defect; the X-Request-Id names it.',
    503: 'A dependency is away; Retry-After says when to come back.',
  };
}

const keyErrors = { 401: 'The project key is missing or not valid.', 403: 'The key is of another region.' };

const accessErrors: Record<Credential, Record<number, string>> = {
  public: {},
  'project-key': keyErrors,
  ingestion: keyErrors,
  conversation: { ...keyErrors, 401: 'The project key or the conversation token is missing or not valid.' },
  'access-token': {
    401: 'The access token is missing or not valid.',
    403: 'The caller may not.',
    404: 'The project, or what the path names in it, is not there.',
  },
  management: {
    401: 'The access token is missing or not valid.',
    403: 'The token lacks the permission service.manage.',
  },
};
