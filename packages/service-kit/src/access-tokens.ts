import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import { Unauthorized, Unavailable } from './errors.ts';

/** Who a person is, as their access token says. */
export interface Person {
  sub: string;
  name?: string | undefined;
  permissions: readonly string[];
}

interface IssuerSettings {
  issuer: string;
  audience: string;
  jwksUrl: string;
}

export interface AccessTokens {
  /**
   * Who the token names. Throws Unauthorized for a token that is not valid, Unavailable when the keys to
   * check it with cannot be had.
   */
  verify(token: string): Promise<Person>;
}

const claims = z.object({
  sub: z.string().min(1).max(200),
  name: z.string().max(200).optional().catch(undefined),
  permissions: z.array(z.string()).catch([]),
});

const REFRESH_MS = 600_000;
const COOLDOWN_MS = 30_000;
const RETRY_MS = 5_000;

/**
 * Verifies access tokens (RS256, ES256, EdDSA; 30 s leeway) against the issuer's JWKS. An unknown kid fetches
 * the keys again at most every 30 s. Keys are refreshed every ten minutes in the background and go on being
 * used while the issuer is away.
 */
export function createAccessTokens({ issuer, audience, jwksUrl }: IssuerSettings): AccessTokens {
  let fetchedAt = 0;
  let failedAt = 0;
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3000,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    async [customFetch](url, options) {
      if (Date.now() - failedAt < RETRY_MS) throw new Error('the identity provider failed a moment ago');
      try {
        const response = await fetch(url, options);
        if (response.ok) fetchedAt = Date.now();
        else failedAt = Date.now();
        return response;
      } catch (error) {
        failedAt = Date.now();
        throw error;
      }
    },
  });

  function refreshWhenOld(): void {
    if (keys.jwks() === undefined || Date.now() - fetchedAt < REFRESH_MS || keys.reloading) return;
    keys.reload().catch(() => undefined); // The old keys go on; a failure is tried again on the next use.
  }

  return {
    async verify(token) {
      if (token.length > 8192) throw new Unauthorized('The access token is not valid.');
      refreshWhenOld();
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: ['RS256', 'ES256', 'EdDSA'],
          requiredClaims: ['exp', 'sub'],
          clockTolerance: 30,
        });
        return claims.parse(payload);
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw new Unauthorized('The access token has expired.');
        if (isAnswer(error)) throw new Unauthorized('The access token is not valid.');
        // An answer that is no key set is a failure too, or each request would ask for it again.
        if (Date.now() - failedAt >= RETRY_MS) failedAt = Date.now();
        throw new Unavailable('The identity provider is away; try again after Retry-After.', 5);
      }
    },
  };
}

/** jose's own verdict on the token, as opposed to a failure to fetch the keys. */
function isAnswer(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  if (error instanceof z.ZodError) return true;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}
