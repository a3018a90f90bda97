import type { Credential } from '@switchboard/contracts';
import type { Context } from 'hono';
import type { Exchange, KitEnv } from './env.ts';
import { Forbidden } from './errors.ts';
import { headerOf } from './request-info.ts';

const ALLOWED_HEADERS =
  'Authorization, X-API-Key, Content-Type, Content-Encoding, Idempotency-Key, X-Service-Conversation-Token, X-Request-Id, X-State-Token, If-Match, If-None-Match';
/** SDKs of other products send headers of their own. The wildcard does not cover Authorization. */
export const ANY_HEADER = '*, Authorization';
const EXPOSED_HEADERS = 'ETag, Retry-After, X-Request-Id, X-Error, X-State, X-State-Token, X-State-As-Of';
const ONE_DAY_SECONDS = '86400';

/**
 * Returns the origin that may read a response in a browser: any origin for operations with a project key or without a
 * credential, the console's origin for those with an access token. Cookies are never allowed.
 */
function allowedOrigin(
  credential: Credential,
  consoleOrigin: string,
  origin: string | undefined,
): string | undefined {
  if (credential === 'management') return undefined;
  if (isOfConsole(credential)) return origin === consoleOrigin ? consoleOrigin : undefined;
  return '*';
}

/** Whether only the console's pages may read the responses. */
export function isOfConsole(credential: Credential): credential is 'access-token' | 'console' {
  return credential === 'access-token' || credential === 'console';
}

/** Throws Forbidden if the origin is not in the project's list. */
export function requireOrigin(origin: string, allowed: readonly string[]): void {
  if (allowed.includes(origin)) return;
  throw new Forbidden(`Origin: ${origin.slice(0, 300)} is not in the allowedOrigins of the project.`);
}

/** Throws Forbidden if the origin of the page is not in the project's list. */
export function settleOrigin(c: Context, allowed: readonly string[]): void {
  const exchange: Exchange = c.env;
  const origin = headerOf(c, 'origin');
  exchange.corsOrigin = null;
  if (origin === undefined) return;
  requireOrigin(origin, allowed);
  exchange.corsOrigin = origin;
}

/** Returns the headers that let pages of an origin read a response. */
export const corsHeaders = (allowedOrigin: string) => ({
  'Access-Control-Allow-Origin': allowedOrigin,
  'Access-Control-Expose-Headers': EXPOSED_HEADERS,
});

export function preflight(
  c: Context<KitEnv>,
  credential: Credential,
  consoleOrigin: string,
  methods: string[],
  allowedHeaders = ALLOWED_HEADERS,
): Response {
  const origin = allowedOrigin(credential, consoleOrigin, c.req.header('origin'));
  const headers: Record<string, string> =
    origin === undefined
      ? {}
      : {
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Allow-Methods': methods.join(', '),
          'Access-Control-Allow-Headers': allowedHeaders,
          'Access-Control-Max-Age': ONE_DAY_SECONDS,
        };
  return new Response(null, { status: 204, headers: { ...headers, Vary: 'Origin' } });
}
