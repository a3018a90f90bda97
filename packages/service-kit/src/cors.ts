import type { Credential } from '@switchboard/contracts';
import type { Context } from 'hono';
import type { KitEnv } from './env.ts';

const ALLOWED_HEADERS =
  'Authorization, Content-Type, Content-Encoding, Idempotency-Key, X-Service-Conversation-Token, X-Request-Id, X-State-Token, If-None-Match';
const EXPOSED_HEADERS = 'ETag, Retry-After, X-Request-Id, X-Error, X-State, X-State-Token, X-State-As-Of';
const A_DAY_SECONDS = '86400';

const toAnyOrigin = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
};

/**
 * Who may read an answer from a browser: any origin where a project key or nothing is shown, the console's
 * origin where a person's access token is. Never with credentials: no operation knows cookies.
 */
function allowedOrigin(
  credential: Credential,
  consoleOrigin: string,
  origin: string | undefined,
): string | undefined {
  if (credential === 'management') return undefined;
  if (credential === 'access-token') return origin === consoleOrigin ? consoleOrigin : undefined;
  return '*';
}

export function corsHeaders(
  c: Context<KitEnv>,
  credential: Credential,
  consoleOrigin: string,
): Record<string, string> {
  // Any origin is said also to a caller who names none: a shared cache may hand the answer to one who does.
  const allowed = allowedOrigin(credential, consoleOrigin, c.req.header('origin'));
  if (allowed === undefined) return {};
  return allowed === '*' ? toAnyOrigin : { ...toAnyOrigin, 'Access-Control-Allow-Origin': allowed };
}

export function preflight(
  c: Context<KitEnv>,
  credential: Credential,
  consoleOrigin: string,
  methods: string[],
): Response {
  const origin = allowedOrigin(credential, consoleOrigin, c.req.header('origin'));
  const headers: Record<string, string> =
    origin === undefined
      ? {}
      : {
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Allow-Methods': methods.join(', '),
          'Access-Control-Allow-Headers': ALLOWED_HEADERS,
          'Access-Control-Max-Age': A_DAY_SECONDS,
        };
  return new Response(null, { status: 204, headers: { ...headers, Vary: 'Origin' } });
}
