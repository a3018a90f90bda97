import { hashToken, type Send } from '@switchboard/runtime';
import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWKSCacheInput,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwksCache,
  jwtVerify,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Person } from '../exchange/env.ts';
import { Unauthorized, Unavailable } from '../exchange/errors.ts';

interface IssuerSettings {
  issuer: string;
  audience: string;
  jwksUrl: string;
  /** The required `typ` in the header of tokens; undefined accepts any. */
  typ?: string | undefined;
  /** Seconds after `iat` at which a token is too old; undefined checks only `exp`. */
  maxAge?: number | undefined;
  /** Fetches the keys. */
  send: Send;
  /** Returns milliseconds of a monotonic clock. */
  elapsed?: () => number;
}

export interface AccessTokens {
  /**
   * Returns the person that the token names. Throws Unauthorized for an invalid token, Unavailable when the keys to
   * verify it cannot be fetched.
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
const LEEWAY_SECONDS = 30;
/** The size limit of the cache of verified tokens. */
const MAX_VERIFIED_BYTES = 16 * 1024 * 1024;
/** The memory of a person besides the claims. */
const PERSON_BYTES = 500;

/** The content of a token and the keys that verified its signature. */
interface Verified {
  person: Person;
  exp: number;
  keys: JWKSCacheInput['jwks'];
  bytes: number;
}

/**
 * Creates a verifier of access tokens (RS256, ES256, EdDSA; 30 s leeway) against the issuer's JWKS. An unknown kid
 * triggers another fetch of the keys, at most every 30 s. Keys are refreshed in the background every ten minutes and
 * stay in use while the issuer is unavailable. A signature is verified once for the keys in use.
 */
export function createAccessTokens({
  issuer,
  audience,
  jwksUrl,
  typ,
  maxAge,
  send,
  elapsed = () => performance.now(),
}: IssuerSettings): AccessTokens {
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  /** The keys in use. Each refresh replaces the object inside. */
  const inUse: JWKSCacheInput = {};
  const verified = new LRUCache<string, Verified>({
    maxSize: MAX_VERIFIED_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  });
  // jose measures ages by the system clock, so a key set stays fresh too long if that clock is set back. Ages are
  // measured here instead.
  const keySet = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: 3000,
    cooldownDuration: Number.POSITIVE_INFINITY,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    [jwksCache]: inUse,
    async [customFetch](url, options) {
      if (elapsed() - failedAt < RETRY_MS) throw new Error('the identity provider failed recently');
      try {
        const response = await send(url, options);
        if (response.ok) fetchedAt = elapsed();
        else failedAt = elapsed();
        return response;
      } catch (error) {
        failedAt = elapsed();
        throw error;
      }
    },
  });

  const keys: JWTVerifyGetKey = async (header, token) => {
    try {
      return await keySet(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || elapsed() - fetchedAt < COOLDOWN_MS) throw error;
      await keySet.reload();
      return keySet(header, token);
    }
  };

  function refreshWhenOld(): void {
    if (inUse.jwks === undefined || elapsed() - fetchedAt < REFRESH_MS || keySet.reloading) return;
    keySet.reload().catch(() => undefined); // The known keys stay in use; the next request tries again.
  }

  return {
    async verify(token) {
      if (token.length > 8192) throw new Unauthorized('Invalid access token.');
      refreshWhenOld();
      const hash = hashToken(token);
      const known = verified.get(hash);
      if (known !== undefined && known.keys === inUse.jwks && !isExpired(known)) return known.person;
      const before = inUse.jwks;
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms: ['RS256', 'ES256', 'EdDSA'],
          requiredClaims: ['exp', 'sub'],
          ...(typ === undefined ? {} : { typ }),
          ...(maxAge === undefined ? {} : { maxTokenAge: maxAge }),
          clockTolerance: LEEWAY_SECONDS,
        });
        const person = claims.parse(payload);
        if (before !== undefined && before === inUse.jwks) {
          const bytes = token.length + PERSON_BYTES;
          verified.set(hash, { person, exp: endOf(payload, maxAge), keys: before, bytes });
        }
        return person;
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw new Unauthorized('Access token expired.');
        if (isInvalidToken(error)) throw new Unauthorized('Invalid access token.');
        // A response that is not a key set also counts as a failure. Otherwise every request would fetch it again.
        if (elapsed() - failedAt >= RETRY_MS) failedAt = elapsed();
        const unavailable = new Unavailable(
          'Identity provider unavailable. Retry after the time in Retry-After.',
          5,
        );
        unavailable.cause = error; // For the log: only the operator can fix it.
        throw unavailable;
      }
    },
  };
}

/** Returns when a token expires, in seconds since 1970. */
const endOf = ({ exp = 0, iat = 0 }: JWTPayload, maxAge: number | undefined) =>
  maxAge === undefined ? exp : Math.min(exp, iat + maxAge);

const isExpired = ({ exp }: Verified) => exp <= Math.floor(Date.now() / 1000) - LEEWAY_SECONDS;

/** Whether the error means an invalid token, as opposed to a failure to fetch the keys. */
function isInvalidToken(error: unknown): boolean {
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return false;
  if (error instanceof z.ZodError) return true;
  return error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC';
}
