import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { z } from 'zod';
import { readIfExists, writeAtomically } from './files.ts';

const AUDIENCE = 'switchboard';
const ALGORITHM = 'ES256';
const MAX_LIFETIME_SECONDS = 86_400;

/** The body of `POST /dev/tokens`. */
export const tokenRequest = z.strictObject({
  sub: z.string().min(1).max(200),
  name: z.string().max(200).optional(),
  permissions: z.array(z.string().max(200)).max(50).optional(),
  /** A negative value mints an expired token. */
  expiresInSeconds: z.int().min(-MAX_LIFETIME_SECONDS).max(MAX_LIFETIME_SECONDS).optional(),
});
export type TokenRequest = z.infer<typeof tokenRequest>;

export interface Issuer {
  issuer: string;
  audience: string;
  jwks: { keys: JWK[] };
  mint(request: TokenRequest): Promise<string>;
}

/** Opens a token issuer for development. Its key is created once and kept in the home folder. */
export async function openIssuer(home: string, issuer: string): Promise<Issuer> {
  const path = join(home, 'issuer-key.json');
  const kept = await readIfExists(path);
  const privateJwk =
    kept === undefined ? await makeKey() : z.looseObject({ kty: z.string() }).parse(JSON.parse(kept));
  if (kept === undefined) await writeAtomically(path, JSON.stringify(privateJwk));
  const key = await importJWK(privateJwk, ALGORITHM);
  const { d: _private, ...publicJwk }: JWK = privateJwk;
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    issuer,
    audience: AUDIENCE,
    jwks: { keys: [{ ...publicJwk, kid, alg: ALGORITHM, use: 'sig' }] },
    async mint({ sub, name, permissions = [], expiresInSeconds = 3600 }) {
      const now = Math.floor(Date.now() / 1000);
      return await new SignJWT({ permissions, ...(name === undefined ? {} : { name }) })
        .setProtectedHeader({ alg: ALGORITHM, kid })
        .setIssuer(issuer)
        .setAudience(AUDIENCE)
        .setSubject(sub)
        .setIssuedAt(now + Math.min(0, expiresInSeconds))
        .setExpirationTime(now + expiresInSeconds)
        .sign(key);
    },
  };
}

async function makeKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  return await exportJWK(privateKey);
}
