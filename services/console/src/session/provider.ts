import type { Send } from '@switchboard/runtime';
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  ClientSecretBasic,
  type Configuration,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
  tokenRevocation,
} from 'openid-client';

export interface ProviderOptions {
  issuer: string;
  /** Where requests to the issuer go. Default: `issuer`. */
  internalUrl: string | undefined;
  clientId: string;
  clientSecret: string | undefined;
  scopes: string;
  /** Parameters of the authorization request, such as `audience` or `resource`. */
  parameters: Readonly<Record<string, string>>;
  consoleUrl: string;
  send: Send;
}

/** The part of a sign-in that the browser keeps until the provider sends the person back. */
export interface Attempt {
  verifier: string;
  state: string;
  nonce: string;
  /** The path to return to. */
  to: string;
}

/** The tokens of a session. */
export interface Tokens {
  accessToken: string;
  expiresInSeconds: number;
  refreshToken: string;
  /** The email address of the person, if the ID token has it. */
  email: string | undefined;
}

/** The provider refused a code or a refresh token. The person must sign in again. */
export class Refused extends Error {
  override name = 'Refused';
}

export interface Provider {
  /** Returns the address of the sign-in. */
  start(to: string): Promise<{ url: string; attempt: Attempt }>;
  /** Exchanges the code in the callback's address. Throws Refused. */
  finish(callback: URL, attempt: Attempt): Promise<Tokens>;
  /** Renews the access token. The refresh token is used up. Throws Refused. */
  refresh(refreshToken: string): Promise<Tokens>;
  /** Revokes the refresh token, and returns the address that ends the session at the provider. */
  end(refreshToken: string | undefined): Promise<string>;
}

const KEPT_MS = 3_600_000;
/** For a provider that does not say when its access tokens expire. */
const UNKNOWN_LIFETIME_SECONDS = 300;

/** Signs people in with an OpenID provider: authorization code with PKCE. */
export function createProvider(options: ProviderOptions): Provider {
  const {
    issuer,
    internalUrl = issuer,
    clientId,
    clientSecret,
    scopes,
    parameters,
    consoleUrl,
    send,
  } = options;
  const redirectUri = new URL('/signed-in', consoleUrl).href;
  let known: { until: number; found: Promise<Configuration> } | undefined;

  /** Reads the discovery document at most once an hour. */
  function configuration(): Promise<Configuration> {
    if (known !== undefined && performance.now() < known.until) return known.found;
    const authentication = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
    const found = discovery(new URL(issuer), clientId, {}, authentication, {
      // Settings allow only this machine without TLS.
      execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      [customFetch]: (url, { method, headers, body, signal }) =>
        send(url.startsWith(`${issuer}/`) ? internalUrl + url.slice(issuer.length) : url, {
          method,
          headers,
          body: body ?? null,
          signal: signal ?? null,
        }),
    });
    known = { until: performance.now() + KEPT_MS, found };
    found.catch(() => {
      known = undefined;
    });
    return found;
  }

  return {
    async start(to) {
      const attempt = {
        verifier: randomPKCECodeVerifier(),
        state: randomState(),
        nonce: randomNonce(),
        to,
      };
      const url = buildAuthorizationUrl(await configuration(), {
        ...parameters,
        redirect_uri: redirectUri,
        scope: scopes,
        code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        state: attempt.state,
        nonce: attempt.nonce,
      });
      return { url: url.href, attempt };
    },
    async finish(callback, { verifier, state, nonce }) {
      // The address that the provider knows, whatever the proxies in front of this service made of it.
      const url = new URL(redirectUri);
      url.search = callback.search;
      const config = await configuration();
      return tokensOf(
        await asRefused(
          authorizationCodeGrant(config, url, {
            pkceCodeVerifier: verifier,
            expectedState: state,
            expectedNonce: nonce,
          }),
        ),
      );
    },
    async refresh(refreshToken) {
      const config = await configuration();
      return tokensOf(await asRefused(refreshTokenGrant(config, refreshToken)), refreshToken);
    },
    async end(refreshToken) {
      const config = await configuration();
      const { end_session_endpoint, revocation_endpoint } = config.serverMetadata();
      if (refreshToken !== undefined && revocation_endpoint !== undefined)
        await tokenRevocation(config, refreshToken).catch(() => undefined);
      if (end_session_endpoint === undefined) return consoleUrl;
      return buildEndSessionUrl(config, { post_logout_redirect_uri: consoleUrl }).href;
    },
  };
}

async function asRefused<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ResponseBodyError && error.status < 500) throw new Refused(error.error);
    throw error;
  }
}

/** A provider that does not rotate refresh tokens sends none, and the previous one stays valid. */
function tokensOf(answer: TokenEndpointResponse & TokenEndpointResponseHelpers, previous?: string): Tokens {
  const { access_token, expires_in, refresh_token } = answer;
  const refreshToken = refresh_token ?? previous;
  const email = answer.claims()?.['email'];
  if (refreshToken === undefined) throw new Error('the provider sent no refresh token; allow offline_access');
  return {
    accessToken: access_token,
    expiresInSeconds: expires_in ?? UNKNOWN_LIFETIME_SECONDS,
    refreshToken,
    email: typeof email === 'string' ? email : undefined,
  };
}
