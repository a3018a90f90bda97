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
 * Makes `c.json(value, status)` answer with all its headers in one plain object where the handler has set none
 * itself: a `Headers` of undici's, which anything else needs, costs as much as the rest of a small request.
 */
export function answerJsonAtOnce(c: Context<KitEnv>, headers: () => Record<string, string>): void {
  const { header, json } = c;
  let hasOwnHeaders = false;
  c.header = (...args) => {
    hasOwnHeaders = true;
    header(...args);
  };
  const answer = (value: unknown, status?: unknown, own?: unknown): Response => {
    if (hasOwnHeaders || own !== undefined || typeof status !== 'number') {
      return json(value as object, status as undefined, own as undefined);
    }
    const response = new Response(JSON.stringify(value), {
      status,
      headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers() },
    });
    c.set('complete', response);
    return response;
  };
  c.json = answer as typeof c.json;
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
