import type { Operation } from '@switchboard/contracts';
import type { Context } from 'hono';
import { corsHeaders } from './cors.ts';
import type { KitEnv } from './env.ts';

export type AnswerHeaders = (c: Context<KitEnv>, operation: Operation | undefined) => Record<string, string>;

/** What every answer carries besides its own headers. `Vary` adds to the answer's own, the others replace. */
export function answerHeaders(consoleOrigin: string): AnswerHeaders {
  return (c, operation) => {
    const requestId = { 'X-Request-Id': c.get('requestId') };
    if (operation === undefined) return requestId;
    const vary = operation.credential === 'public' ? {} : { Vary: 'Authorization' };
    return { ...requestId, ...vary, ...corsHeaders(c, operation.credential, consoleOrigin) };
  };
}

/**
 * Makes `c.json(value, status, headers)` and `c.body(data, status, headers)` answer with all headers in one plain
 * object where the handler has set none by `c.header`: a `Headers` of undici's, which anything else needs, costs
 * as much as the rest of a small request.
 */
export function answerJsonAtOnce(c: Context<KitEnv>, headers: () => Record<string, string>): void {
  const { header, json, body } = c;
  let hasOwnHeaders = false;
  c.header = (...args) => {
    hasOwnHeaders = true;
    header(...args);
  };
  const complete = (data: Data, status: number, own: Record<string, string>): Response => {
    const response = new Response(data, { status, headers: joined(own, headers()) });
    c.set('complete', response);
    return response;
  };
  const answerJson = (value: unknown, status?: unknown, own: unknown = {}): Response => {
    if (hasOwnHeaders || typeof status !== 'number' || !isPlain(own)) {
      return json(value as object, status as undefined, own as undefined);
    }
    return complete(JSON.stringify(value), status, { ...jsonType, ...own });
  };
  const answerBody = (data: unknown, status?: unknown, own: unknown = {}): Response => {
    if (hasOwnHeaders || typeof status !== 'number' || !isPlain(own)) {
      return body(data as string, status as undefined, own as undefined);
    }
    return complete(data as Data, status, own);
  };
  c.json = answerJson as typeof c.json;
  c.body = answerBody as typeof c.body;
}

type Data = ConstructorParameters<typeof Response>[0];

const jsonType = { 'Content-Type': 'application/json; charset=utf-8' };

function isPlain(headers: unknown): headers is Record<string, string> {
  if (typeof headers !== 'object' || headers === null || headers instanceof Headers) return false;
  for (const name in headers) {
    if (typeof Reflect.get(headers, name) !== 'string' || name === 'vary') return false;
  }
  return true;
}

function joined(own: Record<string, string>, common: Record<string, string>): Record<string, string> {
  const all = { ...own, ...common };
  if (own['Vary'] !== undefined && common['Vary'] !== undefined)
    all['Vary'] = `${own['Vary']}, ${common['Vary']}`;
  return all;
}

/** Adds what an answer still lacks. */
export function completeAnswer(c: Context<KitEnv>, headers: () => Record<string, string>): Response {
  const response = c.res;
  if (response === c.get('complete')) return response;
  if (response.headers.get('Content-Type') === 'application/json') {
    response.headers.set('Content-Type', 'application/json; charset=utf-8'); // Hono's c.json names no charset.
  }
  const common = headers();
  for (const name in common) {
    if (name === 'Vary') response.headers.append(name, common[name] ?? '');
    else response.headers.set(name, common[name] ?? '');
  }
  return response;
}
