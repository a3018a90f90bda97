import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** The claims of the person who signs in at the foreign provider. */
export interface ForeignPerson {
  sub: string;
  name: string;
  email?: string;
  email_verified?: boolean;
  groups?: string[];
}

export type ForeignProvider = Awaited<ReturnType<typeof startForeignProvider>>;

/** Starts an OpenID provider of another organisation, which signs in `person` without asking. */
export async function startForeignProvider(redirectUri: string) {
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const foreign = { issuer, person: { sub: 'foreign-1', name: 'Grace Hopper' } as ForeignPerson, close };
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'switchboard', client_secret: 'foreign-secret', redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email', 'email_verified'] },
    cookies: { keys: ['foreign'] },
    features: { devInteractions: { enabled: false } },
    findAccount: async (_, accountId) => ({ accountId, claims: async () => ({ ...foreign.person }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({
        clientId: oidc.client?.clientId ?? '',
        accountId: oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();

  async function serve(...[request, response]: Parameters<typeof callback>): Promise<void> {
    if (request.url?.startsWith('/interaction/') !== true) return void callback(request, response);
    const login = { accountId: foreign.person.sub };
    await provider.interactionFinished(request, response, { login });
  }

  function close(): void {
    server.closeAllConnections();
    server.close();
  }

  return foreign;
}
