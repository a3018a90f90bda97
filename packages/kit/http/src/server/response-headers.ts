import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import type { Credential, Operation } from '@switchboard/contracts';
import { corsHeaders, isOfConsole } from '../exchange/cors.ts';
import type { Exchange } from '../exchange/env.ts';
import { StagedResponse } from './stages.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

type CommonHeaders = Readonly<Record<string, string>>;

/**
 * Returns the headers of every response except the request id. `Vary` is appended to the response's own; the others
 * replace it. `corsOrigin`: see Exchange.
 */
export function commonHeaders(
  request: Request,
  operation: Operation | undefined,
  consoleOrigin: string,
  corsOrigin?: string | null,
): CommonHeaders {
  if (operation === undefined) return NO_SNIFF;
  const { credential } = operation;
  if (corsOrigin !== undefined) {
    const { Vary } = FIXED.conversation;
    return {
      ...NO_SNIFF,
      Vary: `${Vary}, Origin`,
      ...(corsOrigin === null ? undefined : corsHeaders(corsOrigin)),
    };
  }
  if (!isOfConsole(credential)) return FIXED[credential];
  const allowed = request.headers.get('origin') === consoleOrigin;
  return { ...PRIVATE, Vary: 'Authorization, Origin', ...(allowed ? corsHeaders(consoleOrigin) : undefined) };
}

const NO_SNIFF: CommonHeaders = { 'X-Content-Type-Options': 'nosniff' };
/** Headers of responses that only one person or operator may read. */
const PRIVATE: CommonHeaders = { ...NO_SNIFF, 'Cache-Control': 'no-store' };
// Also sent without an Origin header, since a shared cache may serve the response to another caller.
const ANY_ORIGIN: CommonHeaders = { ...NO_SNIFF, ...corsHeaders('*') };

/** `Vary` names the request headers that determine who gets a response. */
const FIXED: Readonly<Record<Exclude<Credential, 'access-token' | 'console'>, CommonHeaders>> = {
  public: ANY_ORIGIN,
  'project-key': { Vary: 'Authorization', ...ANY_ORIGIN },
  ingestion: { Vary: 'Authorization', ...ANY_ORIGIN },
  conversation: { Vary: 'Authorization, X-Service-Conversation-Token', ...ANY_ORIGIN },
  management: { ...PRIVATE, Vary: 'Authorization' },
};

/**
 * A Node response that adds the common headers when it writes its own. Changing the headers of a `Response` would
 * cost as much as the rest of a small request.
 */
export class CommonServerResponse<R extends IncomingMessage = IncomingMessage> extends StagedResponse<R> {
  common: CommonHeaders | undefined;
  requestId = '';

  override writeHead(status: number, ...rest: unknown[]): this {
    const own = rest.at(-1);
    if (this.common === undefined || !(own === undefined || isPlain(own))) {
      // A response that the application did not create.
      this.setHeader('X-Content-Type-Options', 'nosniff');
      return Reflect.apply(super.writeHead, this, [status, ...rest]);
    }
    return super.writeHead(status, joined(own, this.common, this.requestId));
  }
}

function isPlain(headers: unknown): headers is OutgoingHttpHeaders {
  return typeof headers === 'object' && headers !== null && !Array.isArray(headers);
}

/** Returns the headers as a list of names and values, which Node writes faster than an object. */
function joined(
  own: OutgoingHttpHeaders | undefined,
  common: CommonHeaders,
  requestId: string,
): OutgoingHttpHeader[] {
  const list: OutgoingHttpHeader[] = [];
  let vary: unknown;
  for (const name in own) {
    const value = own[name];
    if (value === undefined) continue;
    if (name.length === 4 && name.toLowerCase() === 'vary') vary = value;
    // The form that Hono's c.json writes.
    else if (value === 'application/json') list.push(name, JSON_TYPE);
    else if (!isReplaced(name, common)) list.push(name, value);
  }
  for (const name in common) {
    const value = common[name] ?? '';
    if (name === 'Vary' && vary !== undefined) {
      list.push(name, `${vary}, ${value}`);
      vary = undefined;
    } else list.push(name, value);
  }
  if (vary !== undefined) list.push('Vary', `${vary}`);
  list.push('X-Request-Id', requestId);
  return list;
}

/** Whether a common header replaces this header of the response. */
function isReplaced(name: string, common: CommonHeaders): boolean {
  if (name.length === 13) return 'Cache-Control' in common && name.toLowerCase() === 'cache-control';
  return name.length === 22 && name.toLowerCase() === 'x-content-type-options';
}

/** Adds the common headers and the request's id to the response. */
export function addCommonHeaders(
  response: Response,
  { outgoing, requestId }: Exchange,
  common: CommonHeaders,
): void {
  if (outgoing instanceof CommonServerResponse) {
    outgoing.common = common;
    outgoing.requestId = requestId;
    return;
  }
  const { headers } = response;
  if (headers.get('Content-Type') === 'application/json') headers.set('Content-Type', JSON_TYPE);
  for (const name in common) {
    if (name === 'Vary') headers.append(name, common[name] ?? '');
    else headers.set(name, common[name] ?? '');
  }
  headers.set('X-Request-Id', requestId);
}
