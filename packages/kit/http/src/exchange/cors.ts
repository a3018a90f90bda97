import type { Credential } from '@switchboard/contracts';
import type { Context } from 'hono';
import type { KitEnv } from './env.ts';
import { Forbidden } from './errors.ts';

const ALLOWED_HEADERS =
  'Authorization, X-API-Key, Content-Type, Content-Encoding, Idempotency-Key, X-Service-Conversation-Token, X-Request-Id, X-State-Token, If-Match, If-None-Match';
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
): Response {
  const origin = allowedOrigin(credential, consoleOrigin, c.req.header('origin'));
  const headers: Record<string, string> =
    origin === undefined
      ? {}
      : {
          'Access-Control-Allow-Origin': origin,
          'Access-Control-Allow-Methods': methods.join(', '),
          'Access-Control-Allow-Headers': ALLOWED_HEADERS,
          'Access-Control-Max-Age': ONE_DAY_SECONDS,
        };
  return new Response(null, { status: 204, headers: { ...headers, Vary: 'Origin' } });
}
