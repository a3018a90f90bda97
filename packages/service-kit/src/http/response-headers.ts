import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Credential, Operation } from '@switchboard/contracts';
import type { Context } from 'hono';
import { corsHeaders } from './cors.ts';
import type { KitEnv } from './env.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Headers of every response. `Vary` is appended to the response's own, the others replace it. */
export function commonHeaders(
  c: Context<KitEnv>,
  operation: Operation | undefined,
  consoleOrigin: string,
): Record<string, string> {
  const requestId = c.get('requestId');
  if (operation === undefined) return { 'X-Request-Id': requestId };
  const cors = corsHeaders(c, operation.credential, consoleOrigin);
  if (operation.credential === 'public') return { 'X-Request-Id': requestId, ...cors };
  return { 'X-Request-Id': requestId, Vary: varyOf(operation.credential), ...cors };
}

/** The request headers that decide who gets a response. */
function varyOf(credential: Credential): string {
  if (credential === 'access-token') return 'Authorization, Origin';
  if (credential === 'conversation') return 'Authorization, X-Service-Conversation-Token';
  return 'Authorization';
}

/**
 * Node's response, which adds the common headers when it writes its own. Changing the headers of a `Response` would
 * cost as much as the rest of a small request.
 */
export class CommonServerResponse<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {
  common: Record<string, string> | undefined;

  override writeHead(status: number, ...rest: unknown[]): this {
    const own = rest.at(-1);
    const isPlain = typeof own === 'object' && own !== null && !Array.isArray(own);
    if (this.common === undefined || (rest.length > 0 && !isPlain)) {
      return Reflect.apply(super.writeHead, this, [status, ...rest]);
    }
    return super.writeHead(status, joined(isPlain ? { ...own } : {}, this.common));
  }
}

function joined(headers: OutgoingHttpHeaders, common: Record<string, string>): OutgoingHttpHeaders {
  let ownVary: unknown;
  for (const name in headers) {
    // As Hono's c.json writes it.
    if (headers[name] === 'application/json') headers[name] = JSON_TYPE;
    if (name.length === 4 && name.toLowerCase() === 'vary') {
      ownVary = headers[name];
      if (name !== 'Vary') delete headers[name]; // Deleting makes the object slow; the other is written over.
    }
  }
  Object.assign(headers, common);
  if (ownVary !== undefined)
    headers['Vary'] = common['Vary'] ? `${ownVary}, ${common['Vary']}` : `${ownVary}`;
  return headers;
}

/** Adds the common headers to the response. */
export function addCommonHeaders(c: Context<KitEnv>, common: Record<string, string>): void {
  const outgoing = c.env?.outgoing;
  if (outgoing instanceof CommonServerResponse) {
    outgoing.common = common;
    return;
  }
  const { headers } = c.res;
  if (headers.get('Content-Type') === 'application/json') headers.set('Content-Type', JSON_TYPE);
  for (const name in common) {
    if (name === 'Vary') headers.append(name, common[name] ?? '');
    else headers.set(name, common[name] ?? '');
  }
}
