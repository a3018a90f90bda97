import { createServer } from 'node:http';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { listenOnFreePort } from './ports.ts';

export interface TokenClaims {
  sub: string;
  name?: string;
  permissions?: string[];
  /** Default: an hour. A negative number creates an expired token. */
  expiresInSeconds?: number;
  /** Another issuer or audience, for tests of rejected tokens. */
  issuer?: string;
  audience?: string;
}

export interface AccessTokens {
  issuer: string;
  audience: string;
  jwksUrl: string;
  mint(claims: TokenClaims): Promise<string>;
  stop(): Promise<void>;
}

/** Starts an identity provider, which serves a key set and signs tokens with its key. */
export async function accessTokens(): Promise<AccessTokens> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: 'test', alg: 'ES256', use: 'sig' }],
  });
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(jwks);
  });
  const issuer = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  const audience = 'switchboard';
  return {
    issuer,
    audience,
    jwksUrl: `${issuer}/jwks.json`,
    mint({ sub, name, permissions = [], expiresInSeconds = 3600, ...wrong }) {
      const now = Math.floor(Date.now() / 1000);
      return new SignJWT({ permissions, ...(name === undefined ? {} : { name }) })
        .setProtectedHeader({ alg: 'ES256', kid: 'test' })
        .setSubject(sub)
        .setIssuer(wrong.issuer ?? issuer)
        .setAudience(wrong.audience ?? audience)
        .setIssuedAt(now)
        .setExpirationTime(now + expiresInSeconds)
        .sign(privateKey);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
