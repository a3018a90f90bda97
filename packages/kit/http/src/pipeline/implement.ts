import type { RouteHandler } from '@hono/zod-openapi';
import {
  type AuditActor,
  auditedAs,
  auditText,
  type IsChange,
  type Operation,
  routingPath,
  servedAs,
} from '@switchboard/contracts';
import type { Reservation } from '@switchboard/fairness';
import type { Context, Hono, Handler as HonoHandler } from 'hono';
import { z } from 'zod';
import type { Audited, AuditedChange } from '../audit/change.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { Bodies } from '../body/bodies.ts';
import { parseJson, reserveValues, withoutMark, yieldForBody } from '../body/json.ts';
import { settleOrigin } from '../exchange/cors.ts';
import { bearer, type Credentials, type KeyPlaces, projectKeyOf } from '../exchange/credentials.ts';
import type {
  Authority,
  ErrorCodes,
  Exchange,
  KitEnv,
  OperationEnv,
  ProjectAccess,
} from '../exchange/env.ts';
import { toRejection } from '../exchange/error-responses.ts';
import { BadRequest, NotYours } from '../exchange/errors.ts';
import { headerOf } from '../exchange/request-info.ts';
import { fairnessKeyOf, fairnessKeyOfProject } from '../overload/fairness-key.ts';
import type { Quota } from '../overload/quota.ts';
import { textFault, validate } from './validate.ts';

type OperationHandler<O extends Operation> = RouteHandler<O, OperationEnv<O['credential']>>;

/** The values that a handler gets besides the request. */
interface Given<Access, Input, Change> {
  /** The result of `authorize`; undefined without one. */
  access: Access;
  /** The result of the parser; undefined without one. Other handlers read `c.req.valid('json')`. */
  input: Input;
  /** For an operation that changes something under a permission: the transaction that stores its audit entry. */
  change: Change;
}

/** Answers an operation. Its first parameter and its result are those of a Hono handler. */
type Handler<O extends Operation, Access, Input, Change> = (
  c: Parameters<OperationHandler<O>>[0],
  given: Given<Access, Input, Change>,
) => ReturnType<OperationHandler<O>>;

/** The output of the schema of an operation's JSON body. */
type JsonOf<O extends Operation> = O extends {
  request: { body: { content: { 'application/json': { schema: infer S extends z.ZodType } } } };
}
  ? z.output<S>
  : never;

/** Turns a body into the input of a handler. */
interface Parser<Json, Input> {
  /**
   * Returns the input from the bytes of a body that the schema certainly accepts, and the number of `{`, `[` and
   * `,` in them outside strings. Returns undefined if the schema must decide. Only called when the credential is in
   * the header.
   */
  parse(bytes: Buffer): (Input & { values: number }) | undefined;
  /** Returns the input from a body that the schema accepted. */
  convert(json: Json): Input;
}

interface ImplementOptions<O extends Operation, Access, Input> {
  /**
   * Checks further access rules. Returns what the handler gets as `access`, or a response that replaces the handler.
   * Called once the credential is known: before the body is read, or after a key in the body.
   */
  authorize?(c: Context<OperationEnv<O['credential']>>): Authorization<Access>;
  /** The operation's own codes for rejections of the kit: `{ 413: 'FILE_TOO_LARGE' }`. */
  errorCodes?: ErrorCodes;
  /** Headers of its errors, besides those of the rejection. */
  errorHeaders?: Readonly<Record<string, string>>;
  quota?: Quota;
  parser?: Parser<JsonOf<O>, Input>;
}

type Authorization<Access> = Access | Response | Promise<Access | Response>;

export type Implement = <O extends Operation, Access = undefined, Input = undefined>(
  operation: O,
  handler: Handler<O, Access, Input, IsChange<O> extends true ? AuditedChange : undefined>,
  options?: ImplementOptions<O, Access, Input>,
) => void;

type UntypedGiven = Given<unknown, unknown, unknown>;

/** A handler as the router sees it. The router knows neither the input nor the response type. */
type UntypedHandler = (c: Context<KitEnv>, given: UntypedGiven) => ReturnType<HonoHandler<KitEnv>>;

/** ImplementOptions as the router sees them. */
interface UntypedOptions
  extends Pick<ImplementOptions<Operation, unknown, unknown>, 'errorCodes' | 'errorHeaders' | 'quota'> {
  authorize?(c: Context<KitEnv>): Authorization<unknown>;
  parser?: Parser<unknown, unknown>;
}

/** The values that a handler gets in an operation without `authorize`, parser and audited change. */
const NOTHING: UntypedGiven = { access: undefined, input: undefined, change: undefined };

interface Pipeline {
  hono: Hono<KitEnv>;
  bodies: Bodies;
  credentials: Credentials;
  /** Absent in a service without operations that need a permission. */
  audit: AuditTrail | undefined;
  assertStarted: () => void;
}

const NOT_MODIFIED = 304;

/**
 * The limit for requests without a key in the header, sent and decompressed. Equals that of sendBeacon, which cannot
 * set one.
 */
const WITHOUT_KEY = {
  maxBytes: 65_536,
  hint: ' without a key in the header. Send it as Authorization: Bearer <key>.',
};

/**
 * Returns a function that registers operations with one handler each. The order is credential, authorize, path and
 * query, body, then the rule. A request is validated only after access is granted.
 */
export function implementing(pipeline: Pipeline): Implement {
  return (operation, handler, options = {}) => register(pipeline, operation, handler, options);
}

function register<O extends Operation, Access, Input, Change>(
  pipeline: Pipeline,
  operation: O,
  handler: Handler<O, Access, Input, Change>,
  options: ImplementOptions<O, Access, Input>,
): void;
function register(
  pipeline: Pipeline,
  operation: Operation,
  handler: UntypedHandler,
  options: UntypedOptions,
): void {
  for (const served of servedAs(operation)) serve(pipeline, served, handler, options);
}

function serve(
  { hono, bodies, credentials, audit, assertStarted }: Pipeline,
  operation: Operation,
  handler: UntypedHandler,
  { authorize, errorCodes, errorHeaders, quota, parser }: UntypedOptions,
): void {
  const checks = requestChecks(operation);
  const schema = jsonSchema(operation);
  const keyPlaces: KeyPlaces = {
    header: 'X-API-Key' in shapeOf(operation.request?.headers),
    query: 'api_key' in shapeOf(operation.request?.query),
  };
  // For all other operations, the schema decides whether unknown properties are rejected.
  const isStrict = operation.credential === 'management' || operation.credential === 'console';
  const auditing = auditedAs(operation);
  if (auditing !== undefined && audit === undefined)
    throw new Error(`${operation.operationId} needs an audit trail`);
  const { maxBodyBytes, maxWireBytes = maxBodyBytes, maxBodyValues, unparsedArray } = operation;

  /** Settles without a promise if the project key is in memory, which is true of nearly every request. */
  function settleAccess(c: Context): void | Promise<void> {
    switch (operation.credential) {
      case 'public':
        return undefined;
      case 'project-key':
      case 'conversation':
        return settleKey(c, projectKeyOf(c, keyPlaces));
      case 'ingestion': {
        const key = bearer(c);
        return key === undefined ? undefined : settleKey(c, key);
      }
      case 'access-token':
      case 'console':
      case 'management':
        return settleAuthority(c);
    }
  }

  function settleKey(c: Context, key: string | undefined): void | Promise<void> {
    const project = credentials.projectKey(key);
    if (project instanceof Promise) return project.then((found) => enter(c, found));
    enter(c, project);
  }

  async function settleAuthority(c: Context): Promise<void> {
    const { permission, companyIn, credential } = operation;
    if (permission === undefined) {
      if (credential !== 'console') throw new Error(`${operation.operationId} names no permission`);
      // Such operations read the caller's data in all companies, which tokens of one company must not reveal.
      c.set('person', await credentials.person(c));
      return;
    }
    const authority = await credentials.authority(c, credential === 'management');
    c.set('person', authority.person);
    c.set('authority', authority);
    const { entry }: Partial<Audited> = c.env.audited ?? {};
    if (entry !== undefined) entry.actor = actorOf(authority);
    const isAllowed = authority.hasEverywhere(permission);
    if (isAllowed && auditing === 'refusals') return;
    const projectId = c.req.param('projectId');
    const companyId =
      projectId === undefined ? c.req.param('companyId') : await credentials.companyOf(projectId);
    const isCreation = companyId === undefined && companyIn === 'body';
    // A refusal for a project that does not exist belongs to no company.
    if (entry !== undefined && (isAllowed || isCreation || companyId !== undefined)) {
      entry.companyId = companyId ?? entry.companyId;
      entry.projectId = projectId ?? null;
    }
    if (companyId !== undefined) c.env.companyId = companyId;
    if (isAllowed || isCreation) return;
    if (credential === 'access-token') {
      const project = await credentials.membership(projectId ?? '', authority);
      await authority.require(permission, project.companyId);
      enter(c, project);
      return;
    }
    await authority.require(permission, companyId);
    // Not set for operators, since no role ties them to the project. They take the turns of their address.
    if (projectId !== undefined) c.env.projectId = projectId;
  }

  function enter(c: Context, project: ProjectAccess): void {
    c.set('project', project);
    c.env.projectId = project.id;
    if (project.allowedOrigins !== undefined) settleOrigin(c, project.allowedOrigins);
  }

  function checkProject(c: Context): void {
    const { projectId }: Exchange = c.env;
    if (projectId !== undefined) quota?.check('project', projectId);
  }

  const changeOf = ({ audited }: Exchange) => (auditing === 'write' ? audited?.change : undefined);

  function given(exchange: Exchange, access: unknown): UntypedGiven {
    const change = changeOf(exchange);
    return access === undefined && change === undefined ? NOTHING : { access, input: undefined, change };
  }

  /** Whether the body may contain the project key, so that `authorize` follows it. */
  const isKeyInBody = ({ projectId }: Exchange) =>
    operation.credential === 'ingestion' && projectId === undefined;

  /** Charges the bytes that the body took of the budget. A rejected body counts as far as it was read. */
  function charge(c: Context, reservation: Reservation): void {
    if (quota === undefined) return;
    const { address, projectId }: Exchange = c.env;
    quota.charge('address', address, reservation.taken());
    if (projectId !== undefined) quota.charge('project', projectId, reservation.taken());
  }

  /**
   * Returns what the handler gets, or the response that replaces it. The bytes are dropped unless the input needs
   * them; the reservation covers the parsed values.
   */
  async function readJson(
    c: Context,
    found: unknown,
    reservation: Reservation,
    bodySchema: z.ZodType,
  ): Promise<UntypedGiven | Response> {
    let access = found;
    const isWithoutKey = isKeyInBody(c.env);
    const bounds = isWithoutKey ? WITHOUT_KEY : { maxBytes: maxBodyBytes, maxWireBytes };
    let value: unknown;
    let fault: BadRequest | undefined;
    try {
      const body = withoutMark(await bodies.read(c, reservation, bounds));
      const fairnessKey = fairnessKeyOf(c.env);
      if (parser !== undefined && !isWithoutKey) {
        const turn = yieldForBody(body, fairnessKey);
        if (turn !== undefined) await turn;
        const input = parser.parse(body);
        if (input !== undefined && input.values <= maxBodyValues) {
          reserveValues(input.values, reservation);
          return { access, input, change: changeOf(c.env) };
        }
      }
      value = await parseJson(body, { reservation, fairnessKey, maxBodyValues, unparsedArray });
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error;
      fault = error;
    } finally {
      charge(c, reservation);
    }
    if (isWithoutKey) {
      const project = await credentials.projectKey(keyInBody(value));
      enter(c, project);
      reservation.join(fairnessKeyOfProject(project.id));
      checkProject(c);
      quota?.charge('project', project.id, reservation.taken());
      access = await authorize?.(c);
      if (access instanceof Response) return access;
    }
    if (fault !== undefined) throw fault;
    const data = validate(bodySchema, value, { where: 'body', isStrict });
    if (!isObject(data)) throw new Error(`the body of ${operation.operationId} must be an object`);
    if (parser !== undefined) return { access, input: parser.convert(data), change: changeOf(c.env) };
    c.req.addValidatedData('json', data);
    return given(c.env, access);
  }

  /** Not async, so that the parsed body is not kept here while the handler waits. */
  function answerBody(c: Context, access: unknown, bodySchema: z.ZodType): Promise<Response> {
    const reservation = bodies.reserve(c);
    return readJson(c, access, reservation, bodySchema)
      .then((read) => (read instanceof Response ? read : handler(c, read)))
      .then(
        (response) => {
          reservation.release();
          return response;
        },
        (error) => {
          reservation.release();
          throw error;
        },
      );
  }

  function answer(c: Context, access: unknown): Response | Promise<Response> {
    if (access instanceof Response) return access;
    for (const check of checks) check(c);
    return schema === undefined ? handler(c, given(c.env, access)) : answerBody(c, access, schema);
  }

  function admit(c: Context): Response | Promise<Response> {
    checkProject(c);
    if (authorize === undefined || isKeyInBody(c.env)) return answer(c, undefined);
    const access = authorize(c);
    return access instanceof Promise ? access.then((found) => answer(c, found)) : answer(c, access);
  }

  /** Writes the audit entry of a read before the response. A change writes its own, in its transaction. */
  async function admitAudited(c: Context, trail: AuditTrail): Promise<Response> {
    const { requestId, address }: Exchange = c.env;
    const audited = trail.begin(operation, { parameter: (name) => c.req.param(name), requestId, address });
    c.env.audited = audited;
    let response: Response;
    try {
      await settleAccess(c);
      response = await admit(c);
    } catch (error) {
      const status = toRejection(error)?.status;
      if (status === 401 || status === 403 || error instanceof NotYours)
        await trail.refused(audited, status ?? 404);
      throw error;
    }
    if (auditing === 'read' && response.status !== NOT_MODIFIED) await audited.change.record();
    if (auditing === 'write' && !audited.isWritten())
      throw new Error(`${operation.operationId} did not use its transaction, so it has no audit entry`);
    return response;
  }

  /** Rejects a request with a URL that is not valid text, after its credential was checked. */
  async function rejectText(c: Context, fault: BadRequest): Promise<never> {
    try {
      await settleAccess(c);
      if (!isKeyInBody(c.env)) await authorize?.(c);
    } catch (error) {
      // Other errors are caused by the text itself, which no database accepts.
      if (toRejection(error)?.status === 401) throw error;
    }
    throw fault;
  }

  hono.on(operation.method.toUpperCase(), routingPath(operation.path), (c): Response | Promise<Response> => {
    c.env.operation = operation;
    c.env.errorCodes = errorCodes;
    c.env.errorHeaders = errorHeaders;
    assertStarted();
    quota?.check('address', c.env.address);
    // Public operations answer 404 for any unknown text, including malformed text.
    const fault = operation.credential === 'public' ? undefined : textFault(c.req.url, operation.path);
    if (fault !== undefined) return rejectText(c, fault);
    if (auditing !== undefined && audit !== undefined) return admitAudited(c, audit);
    const settling = settleAccess(c);
    return settling === undefined ? admit(c) : settling.then(() => admit(c));
  });
}

function actorOf({ person, token }: Authority): AuditActor {
  const kind = token?.sub === null ? 'service' : 'person';
  return { kind, id: auditText(person.sub), tokenId: token?.id ?? null };
}

/** Returns validators of path, query and headers. Each rejects the request with its first problem. */
function requestChecks(operation: Operation): ((c: Context) => void)[] {
  const { params, query, headers } = operation.request ?? {};
  const names = Object.keys(shapeOf(headers)).map((name) => ({ name, lowerName: name.toLowerCase() }));
  return [
    ...checkOf('param', params, 'path', (c) => c.req.param()),
    ...checkOf('query', query, 'query', queryOf),
    ...checkOf('header', headers, 'header', (c) => headersOf(c, names)),
  ];
}

function checkOf(
  target: 'param' | 'query' | 'header',
  schema: unknown,
  where: string,
  read: (c: Context) => object,
): ((c: Context) => void)[] {
  if (!(schema instanceof z.ZodType)) return [];
  const check = (c: Context) => {
    const data = validate(schema, read(c), { where });
    if (!isObject(data)) throw new Error(`the ${where} must be an object`);
    c.req.addValidatedData(target, data);
  };
  return [check];
}

/** Returns the query parameters: a string for one that is sent once, a list for one that is sent several times. */
function queryOf(c: Context): object {
  const query: Record<string, unknown> = Object.create(null);
  const sent = c.req.queries();
  for (const name in sent) {
    const values = sent[name] ?? [];
    query[name] = values.length === 1 ? values[0] : values;
  }
  return query;
}

function headersOf(c: Context, names: readonly { name: string; lowerName: string }[]): object {
  const headers: Record<string, string> = {};
  for (const { name, lowerName } of names) {
    const value = headerOf(c, lowerName);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

/** Returns the schema of the JSON body; undefined for an operation without one. */
function jsonSchema(operation: Operation): z.ZodType | undefined {
  const media = operation.request?.body?.content['application/json'];
  if (media === undefined || !('schema' in media)) return undefined;
  return media.schema instanceof z.ZodType ? media.schema : undefined;
}

function shapeOf(schema: unknown): object {
  if (!isObject(schema) || !('shape' in schema)) return {};
  return isObject(schema.shape) ? schema.shape : {};
}

function keyInBody(body: unknown): string | undefined {
  if (!isObject(body) || !('api_key' in body)) return undefined;
  return typeof body.api_key === 'string' ? body.api_key : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
