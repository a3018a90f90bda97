import { createRemoteJWKSet, customFetch, errors, jwtVerify } from 'jose';
import { z } from 'zod';
import type { Person } from '../http/env.ts';
import { Unauthorized, Unavailable } from '../http/errors.ts';
import type { Send } from '../outgoing/sender.ts';

interface IssuerSettings {
  issuer: string;
  audience: string;
  jwksUrl: string;
  /** Fetches the keys. */
  send: Send;
}

export interface AccessTokens {
  /**
   * The person the token names. Throws Unauthorized for an invalid token, Unavailable when the keys to verify it cannot
   * be fetched.
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
 * the keys again, at most every 30 s. Keys are refreshed in the background every ten minutes and stay in use while the
 * issuer is unavailable.
 */
export function createAccessTokens({ issuer, audience, jwksUrl, send }: IssuerSettings): AccessTokens {
  let fetchedAt = 0;
  let failedAt = 0;
  const keys = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3000,
    cooldownDuration: COOLDOWN_MS,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    async [customFetch](url, options) {
      if (Date.now() - failedAt < RETRY_MS) throw new Error('the identity provider failed recently');
      try {
        const response = await send(url, options);
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
    keys.reload().catch(() => undefined); // The known keys stay in use; the next request tries again.
  }

  return {
    async verify(token) {
      if (token.length > 8192) throw new Unauthorized('Invalid access token.');
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
        if (error instanceof errors.JWTExpired) throw new Unauthorized('Access token expired.');
        if (isInvalidToken(error)) throw new Unauthorized('Invalid access token.');
        // A response that is not a key set counts as a failure too, or every request would fetch it again.
        if (Date.now() - failedAt >= RETRY_MS) failedAt = Date.now();
        const unavailable = new Unavailable(
          'Identity provider unavailable. Retry after the time in Retry-After.',
          5,
        );
        unavailable.cause = error; // For the log: the caller cannot mend it, the operator may.
        throw unavailable;
      }
    },
  };
}

/** Whether the token is invalid, as opposed to a failure to fetch the keys. */
function isInvalidToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  if (error instanceof z.ZodError) return true;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}
