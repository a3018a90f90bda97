import { providerIssuer } from '@switchboard/contracts';
import { jsonText, type Send } from '@switchboard/runtime';
import { LRUCache } from 'lru-cache';
import {
  allowInsecureRequests,
  ClientSecretBasic,
  type Configuration,
  customFetch,
  discovery,
} from 'openid-client';
import { z } from 'zod';

const common = {
  /** Names the provider in addresses. */
  id: z.string().regex(/^[a-z0-9-]{1,50}$/, 'not up to 50 lower-case letters, digits or -'),
  /** Shown on the button. */
  name: z.string().min(1).max(50),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
};

const deploymentProvider = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('github'),
    ...common,
    apiUrl: z.url().optional(),
    url: z.url().optional(),
  }),
  z.strictObject({
    kind: z.literal('oidc'),
    ...common,
    issuer: providerIssuer,
    scopes: z.array(z.string()).default(['openid', 'profile', 'email']),
  }),
]);
/** A provider of the deployment, as its setting describes it. */
export type DeploymentProvider = z.output<typeof deploymentProvider>;

/** A setting with a JSON array of providers. */
export const deploymentProviders = jsonText
  .pipe(z.array(deploymentProvider).max(20))
  .default([])
  .meta({ values: 'JSON', secret: true });

/** A provider that a person is sent to. */
export interface UpstreamProvider {
  /** `deployment/<id>` or `company/<company id>`. */
  key: string;
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  scopes: readonly string[];
  groupsClaim: string | undefined;
  /** The company that configured the provider; undefined for one of the deployment. */
  companyId: string | undefined;
  github: { url: string; apiUrl: string } | undefined;
}

const GITHUB = 'https://github.com';
const GITHUB_API = 'https://api.github.com';

/** Returns a provider of the deployment in the common form. */
export function ofDeployment(provider: DeploymentProvider): UpstreamProvider {
  const { id, name, clientId, clientSecret } = provider;
  const one = {
    key: `deployment/${id}`,
    name,
    clientId,
    clientSecret,
    groupsClaim: undefined,
    companyId: undefined,
  };
  if (provider.kind === 'oidc')
    return { ...one, issuer: provider.issuer, scopes: provider.scopes, github: undefined };
  const { url = GITHUB, apiUrl = GITHUB_API } = provider;
  return { ...one, issuer: url, scopes: ['read:user', 'user:email'], github: { url, apiUrl } };
}

const KEPT_MS = 3_600_000;
const MAX_KEPT = 100;

/** Returns the configuration of an OpenID provider, read from its discovery document at most once an hour. Keeps 100. */
export function createDiscoveries(send: Send): (provider: UpstreamProvider) => Promise<Configuration> {
  const known = new LRUCache<string, Promise<Configuration>>({ max: MAX_KEPT, ttl: KEPT_MS });

  return async ({ issuer, clientId, clientSecret }) => {
    const key = JSON.stringify([issuer, clientId, clientSecret]);
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    const found = discovery(new URL(issuer), clientId, {}, ClientSecretBasic(clientSecret), {
      // Settings allow only this machine without TLS.
      execute: issuer.startsWith('http:') ? [allowInsecureRequests] : [],
      [customFetch]: (url, { method, headers, body, signal }) =>
        send(url, { method, headers, body: body ?? null, signal: signal ?? null }),
    });
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  };
}
