import { hkdfSync } from 'node:crypto';
import type { Logger } from '@switchboard/runtime';
import type { JWK } from 'jose';
import Provider, {
  type AdapterFactory,
  type Configuration,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { pageHeaders } from '../pages/document.ts';
import { SESSION_DAYS } from '../sessions/sessions.ts';
import { apiClients, type Client, COMMAND_CLIENT, clientMetadata } from './clients.ts';
import {
  deviceCodePage,
  deviceConfirmPage,
  deviceDonePage,
  errorPage,
  type ProviderForm,
  signedOutPage,
  signOutPage,
} from './pages.ts';

/** The resource indicator of the API. Its tokens have the audience of the settings. */
export const API_RESOURCE = 'urn:switchboard:api';
export const API_SCOPE = 'api';
const ACCESS_TOKEN_SECONDS = 300;
const MINUTE = 60;
const DAY = 86_400;

/** The claims of a person. */
export interface Claims {
  name: string;
  email: string;
  permissions: readonly string[];
}

export interface ProviderOptions {
  issuer: string;
  /** The issuer in access tokens. */
  tokenIssuer: string;
  audience: string;
  consoleUrl: string;
  clients: readonly Client[];
  /** Signs cookies. */
  secrets: readonly string[];
  adapter: AdapterFactory;
  logger: Pick<Logger, 'failed'>;
  /**
   * Returns the claims of an account; undefined if it does not exist, or if the methods of its sign-in no longer open it.
   */
  claimsOf(accountId: string, methods?: readonly string[]): Promise<Claims | undefined>;
  /** Returns the account that the browser of the request is signed in to. */
  signedIn(cookies: string | undefined): Promise<string | undefined>;
  /** Ends the session of the browser of the request. */
  signOut(cookies: string | undefined): Promise<void>;
}

/** Returns the path of the page of an interaction. */
export const interactionPath = (uid: string) => `/identity/sign-in/${uid}`;

/** Returns the origins that pages of this service may lead to after a form. */
export const applicationOrigins = (clients: readonly Client[], consoleUrl: string): string[] => [
  ...new Set(
    [consoleUrl, ...clients.flatMap(({ redirectUris }) => redirectUris)].map((url) => new URL(url).origin),
  ),
];

/** Creates the OpenID provider that signs with the first key. */
export function createProvider(options: ProviderOptions, keys: JWK[]): Provider {
  const { issuer, consoleUrl, clients, logger } = options;
  const provider = new Provider(issuer, { ...configuration(options), jwks: { keys } });
  // Addresses are those of the issuer: `mountProvider` sets the headers.
  provider.proxy = true;
  provider.on('server_error', (_, error) => logger.failed('serve OpenID request', error));
  const headers = pageHeaders(applicationOrigins(clients, consoleUrl));
  provider.use(async (ctx, next) => {
    const { 'Content-Type': _, ...rest } = headers;
    ctx.set(rest);
    await next();
    if (ctx.oidc?.route === 'end_session_confirm' && ctx.oidc.session?.destroyed === true)
      await options.signOut(ctx.req.headers.cookie);
    // The adapter finds the successor of a refresh token that is sent again.
    const refreshToken = ctx.oidc?.entities.RefreshToken?.jti;
    if (ctx.oidc?.route === 'token' && ctx.body?.refresh_token !== undefined && refreshToken !== undefined)
      ctx.body.refresh_token = refreshToken;
  });
  return provider;
}

function configuration(options: ProviderOptions): Configuration {
  const { tokenIssuer, audience, consoleUrl, clients, secrets, adapter, claimsOf } = options;
  const withApi = apiClients(clients);
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax', path: '/identity' } as const;
  return {
    adapter,
    clients: clientMetadata(clients, consoleUrl),
    clientDefaults: { id_token_signed_response_alg: 'RS256' },
    clientBasedCORS: (_, origin, client) =>
      client.redirectUris?.some((uri) => new URL(uri).origin === origin) === true,
    cookies: {
      keys: secrets.map((secret) =>
        Buffer.from(hkdfSync('sha256', secret, '', 'identity cookies', 32)).toString('base64url'),
      ),
      names: {
        session: 'switchboard_op',
        interaction: 'switchboard_interaction',
        resume: 'switchboard_resume',
      },
      long: cookie,
      short: cookie,
    },
    scopes: ['openid', 'offline_access'],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: ({ oidc }) => oidc.entities.RefreshToken?.jti === oidc.params?.['refresh_token'],
    issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
    // The command stays signed in when the browser that allowed it signs out. "Sign out everywhere" ends it.
    expiresWithSession: (_, { clientId }) => clientId !== COMMAND_CLIENT,
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: MINUTE,
      DeviceCode: 10 * MINUTE,
      Grant: 180 * DAY,
      IdToken: ACCESS_TOKEN_SECONDS,
      Interaction: 30 * MINUTE,
      RefreshToken: 14 * DAY,
      Session: SESSION_DAYS * DAY,
    },
    routes: {
      authorization: '/authorize',
      token: '/token',
      userinfo: '/userinfo',
      jwks: '/jwks',
      revocation: '/revoke',
      end_session: '/sign-out',
      code_verification: '/device',
      device_authorization: '/device/authorize',
    },
    async findAccount(_, accountId) {
      const claims = await claimsOf(accountId);
      if (claims === undefined) return undefined;
      const { name, email } = claims;
      return { accountId, claims: async () => ({ sub: accountId, name, email, email_verified: true }) };
    },
    async extraTokenClaims({ oidc }, token) {
      if (token.kind !== 'AccessToken') return undefined;
      const { AuthorizationCode, DeviceCode, RefreshToken } = oidc.entities;
      const { amr = [] } = RefreshToken ?? AuthorizationCode ?? DeviceCode ?? {};
      const claims = await claimsOf(token.accountId, amr);
      if (claims === undefined)
        throw new errors.InvalidGrant('the account does not exist, or must sign in again');
      return { name: claims.name, permissions: [...claims.permissions] };
    },
    formats: {
      customizers: {
        jwt(_ctx, _token, parts) {
          parts.payload['iss'] = tokenIssuer;
        },
      },
    },
    loadExistingGrant: (ctx) => loadGrant(ctx, withApi),
    interactions: { url: (_, { uid }) => interactionPath(uid), policy: policyOf(options) },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource(ctx, _form) {
          ctx.body = signOutPage(
            formOf(ctx, 'end_session_confirm'),
            ctx.oidc.client?.clientName ?? 'Switchboard',
          );
        },
        postLogoutSuccessSource(ctx) {
          ctx.body = signedOutPage();
        },
      },
      deviceFlow: {
        enabled: true,
        userCodeInputSource(ctx, _form, _out, error) {
          ctx.body = deviceCodePage(formOf(ctx, 'code_verification'), error !== undefined);
        },
        userCodeConfirmSource(ctx, _form, client, _device, code) {
          ctx.body = deviceConfirmPage(
            formOf(ctx, 'code_verification'),
            client.clientName ?? client.clientId,
            code,
          );
        },
        successSource(ctx) {
          ctx.body = deviceDonePage();
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: (_, { clientId }, oneOf) => {
          if (oneOf !== undefined) return oneOf[0];
          return withApi.has(clientId) ? API_RESOURCE : undefined;
        },
        useGrantedResource: () => true,
        getResourceServerInfo(_, resource, { clientId }) {
          if (resource !== API_RESOURCE || !withApi.has(clientId)) throw new errors.InvalidTarget();
          return {
            scope: API_SCOPE,
            audience,
            accessTokenTTL: ACCESS_TOKEN_SECONDS,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'RS256' } },
          };
        },
      },
    },
    renderError(ctx, out) {
      ctx.type = 'html';
      ctx.body = errorPage(out.error_description ?? out.error);
    },
  };
}

/** A browser that is not signed in, or is signed in to another account, signs in again. */
function policyOf({ signedIn }: ProviderOptions): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  policy.get('login')?.checks.add(
    new interactionPolicy.Check('session_ended', 'sign-in is required', 'login_required', async (ctx) => {
      const accountId = await signedIn(ctx.req.headers.cookie);
      return accountId === undefined || accountId !== ctx.oidc.session?.accountId;
    }),
  );
  return policy;
}

/** Returns what the person allowed the client. Switchboard's own applications need no consent. */
async function loadGrant(ctx: KoaContextWithOIDC, withApi: ReadonlySet<string>) {
  const { client, session, result, provider } = ctx.oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const { clientId } = client;
  const id = result?.consent?.grantId ?? session.grantIdFor(clientId);
  const known = id === undefined ? undefined : await provider.Grant.find(id);
  if (known !== undefined || !withApi.has(clientId)) return known;
  const grant = new provider.Grant({ clientId, accountId: session.accountId });
  grant.addOIDCScope('openid profile email offline_access');
  grant.addResourceScope(API_RESOURCE, API_SCOPE);
  await grant.save();
  return grant;
}

function formOf(ctx: KoaContextWithOIDC, route: string): ProviderForm {
  const secret = ctx.oidc.session?.state?.['secret'];
  return { action: ctx.oidc.urlFor(route), xsrf: typeof secret === 'string' ? secret : '' };
}
