import type { Send } from '@switchboard/runtime';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
} from 'openid-client';
import { z } from 'zod';
import { MOUNT } from '../pages/document.ts';
import type { UpstreamProvider } from './providers.ts';

/** The path that providers send people back to. */
export const CALLBACK_PATH = `${MOUNT}/upstream/callback`;

/** A person that a provider vouches for. */
export interface VouchedPerson {
  subject: string;
  name: string;
  /** In lower case; undefined without one that the provider verified. */
  email: string | undefined;
  /** Undefined without the claim. */
  groups: readonly string[] | undefined;
}

/** The secrets of one sign-in, kept until the provider sends the person back. */
export const started = z.object({ nonce: z.string(), verifier: z.string() });
type Started = z.output<typeof started>;

/** The provider refused the sign-in, or its answer cannot be trusted. The message is for the log. */
export class UpstreamFailed extends Error {
  override name = 'UpstreamFailed';
}

export interface Upstream {
  /** Returns the address to send the person to, and what `finish` needs. Throws UpstreamFailed. */
  begin(provider: UpstreamProvider, state: string, kept: Started): Promise<string>;
  /** Returns the person that the provider sent back to `url`. Throws UpstreamFailed. */
  finish(provider: UpstreamProvider, url: URL, state: string, kept: Started): Promise<VouchedPerson>;
}

export const newStarted = (): Started => ({ nonce: randomNonce(), verifier: randomPKCECodeVerifier() });

interface UpstreamOptions {
  configurationOf(provider: UpstreamProvider): Promise<Configuration>;
  send: Send;
  /** The address that providers send people back to. */
  callback: string;
}

/** Providers differ in the last slash. */
const isSameIssuer = (one: string, other: string) =>
  new URL(one).href.replace(/\/$/, '') === new URL(other).href.replace(/\/$/, '');

const MAX_GROUPS = 500;
const claims = z.looseObject({
  name: z.string().optional(),
  email: z.string().optional(),
  /** Some providers send a word. */
  email_verified: z.union([z.boolean(), z.stringbool()]).optional(),
});
const groupNames = z.union([z.array(z.string()).max(MAX_GROUPS), z.string().transform((one) => [one])]);

export function createUpstream({ configurationOf, send, callback }: UpstreamOptions): Upstream {
  const github = createGithub(send, callback);

  /** A provider vouches for people of its own issuer alone, whatever its discovery document says. */
  async function trusted(provider: UpstreamProvider): Promise<Configuration> {
    const configuration = await configurationOf(provider);
    const { issuer } = configuration.serverMetadata();
    if (!isSameIssuer(issuer, provider.issuer))
      throw new UpstreamFailed(`the discovery document of ${provider.key} names another issuer`);
    return configuration;
  }

  async function failing<T>(provider: UpstreamProvider, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof UpstreamFailed) throw error;
      throw new UpstreamFailed(`sign-in with ${provider.key} failed`, { cause: error });
    }
  }

  return {
    begin: (provider, state, { nonce, verifier }) =>
      failing(provider, async () => {
        if (provider.github !== undefined) return github.begin(provider, provider.github.url, state);
        const url = buildAuthorizationUrl(await trusted(provider), {
          redirect_uri: callback,
          scope: provider.scopes.join(' '),
          state,
          nonce,
          code_challenge: await calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        });
        return url.href;
      }),

    finish: (provider, url, state, { nonce, verifier }) =>
      failing(provider, async () => {
        if (provider.github !== undefined) return github.finish(provider, provider.github, url);
        const configuration = await trusted(provider);
        const tokens = await authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        });
        const token = tokens.claims();
        if (token === undefined) throw new UpstreamFailed('the provider sent no ID token');
        if (!isSameIssuer(token.iss, provider.issuer))
          throw new UpstreamFailed('the ID token names another issuer');
        const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
        const more = hasUserInfo ? await fetchUserInfo(configuration, tokens.access_token, token.sub) : {};
        const all: Record<string, unknown> = { ...more, ...token };
        const { name, email, email_verified: isVerified } = claims.parse(all);
        const groups = provider.groupsClaim === undefined ? undefined : all[provider.groupsClaim];
        // A company's provider vouches for the addresses of its verified domains, unless it denies one.
        const isTrusted = isVerified ?? provider.companyId !== undefined;
        return {
          subject: token.sub,
          name: name ?? email ?? token.sub,
          email: isTrusted ? email?.toLowerCase() : undefined,
          groups: groups === undefined ? undefined : groupNames.parse(groups),
        };
      }),
  };
}

const githubToken = z.object({ access_token: z.string() });
const githubUser = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() });
const githubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** GitHub has OAuth without OpenID Connect: the person is read from its API. */
function createGithub(send: Send, callback: string) {
  const jsonOf = async (response: Response): Promise<unknown> => {
    if (!response.ok) throw new UpstreamFailed(`GitHub answered ${response.status}`);
    return response.json();
  };

  return {
    begin({ clientId, scopes }: UpstreamProvider, url: string, state: string): string {
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: callback,
        scope: scopes.join(' '),
        state,
      });
      return `${url}/login/oauth/authorize?${query}`;
    },

    async finish(
      { clientId, clientSecret }: UpstreamProvider,
      { url, apiUrl }: { url: string; apiUrl: string },
      returned: URL,
    ): Promise<VouchedPerson> {
      const code = returned.searchParams.get('code');
      if (code === null) throw new UpstreamFailed('GitHub sent no code');
      const body = new URLSearchParams({
        client_id: clientId,
        client_secret: clientSecret,
        code,
        redirect_uri: callback,
      });
      const { access_token: token } = githubToken.parse(
        await jsonOf(
          await send(`${url}/login/oauth/access_token`, {
            method: 'POST',
            body,
            headers: { Accept: 'application/json' },
          }),
        ),
      );
      const headers = { Authorization: `Bearer ${token}`, Accept: 'application/vnd.github+json' };
      const [user, emails] = await Promise.all([
        send(`${apiUrl}/user`, { headers }).then(jsonOf).then(githubUser.parse),
        send(`${apiUrl}/user/emails`, { headers }).then(jsonOf).then(githubEmails.parse),
      ]);
      const verified = emails.filter((one) => one.verified);
      const email = (verified.find(({ primary }) => primary) ?? verified[0])?.email;
      return {
        subject: String(user.id),
        name: user.name ?? user.login,
        email: email?.toLowerCase(),
        groups: undefined,
      };
    },
  };
}
