import { createEncryption, createSender, type Encryption, strangersNames } from '@switchboard/runtime';
import type { Accounts } from '../accounts/accounts.ts';
import type { Browser } from '../browser/browser.ts';
import { createCompanySignIn } from '../company-sign-in/company-sign-in.ts';
import { companySignInRoutes } from '../company-sign-in/routes.ts';
import type { Identity } from '../config.ts';
import type { Limits } from '../limits/limits.ts';
import type { Memberships } from '../memberships/memberships.ts';
import { MOUNT } from '../pages/document.ts';
import { createScimGroups } from '../scim/groups.ts';
import { scimRoutes } from '../scim/routes.ts';
import { createScimStore } from '../scim/store.ts';
import { createScimTokens } from '../scim/tokens.ts';
import { createScimUsers } from '../scim/users.ts';
import type { Complete } from '../sign-in/complete.ts';
import type { Interactions } from '../sign-in/interactions.ts';
import type { RequiredProvider } from '../sign-in/required-provider.ts';
import type { Tickets } from '../tickets/tickets.ts';
import type { Trail } from '../trail/trail.ts';
import { createAdmit } from '../upstream/admission.ts';
import { type CompanyProviders, createCompanyProviders } from '../upstream/company-provider.ts';
import { createDomains, type Domains, readTxt } from '../upstream/domains.ts';
import { CALLBACK_PATH, createUpstream } from '../upstream/person.ts';
import { createDiscoveries, type UpstreamProvider } from '../upstream/providers.ts';
import { upstreamRoutes } from '../upstream/routes.ts';
import { createUpstreamStore } from '../upstream/store.ts';
import { createTestProvider } from '../upstream/test-provider.ts';

const TIMEOUT_MS = 5_000;
/** Discovery documents, keys and people with their groups are smaller. Some of them stay in memory. */
const MAX_RESPONSE_BYTES = 131_072;
const SCIM_PATH = `${MOUNT}/scim/v2`;

/** The providers of companies, and the domains that they vouch for. */
interface CompanyParts {
  /** Encrypts the secrets of providers. */
  encryption: Encryption;
  providers: CompanyProviders;
  domains: Domains;
  required: RequiredProvider;
}

/** Opens the providers of companies. */
export function openCompanyProviders({ clock, config, db, directory }: Identity): CompanyParts {
  const store = createUpstreamStore(db);
  const encryption = createEncryption({ secrets: config.ACCOUNT_SECRET, purpose: 'provider secrets' });
  const providers = createCompanyProviders({ store, encryption, clock });
  const domains = createDomains({ store, clock });

  return {
    encryption,
    providers,
    domains,
    async required({ id, email }) {
      const companyId = await domains.companyOfAddress(email);
      const provider = companyId === undefined ? undefined : await providers.get(companyId);
      if (companyId === undefined || provider?.enforced !== true) return undefined;
      // Owners can sign in while the provider is down or set up wrongly.
      const member = await directory.member(companyId, id);
      return member?.role === 'owner' ? undefined : companyId;
    },
  };
}

interface SignInParts {
  issuer: string;
  accounts: Accounts;
  browser: Browser;
  complete: Complete;
  interactions: Interactions;
  limits: Limits;
  tickets: Tickets;
  trail: Trail;
  companies: CompanyParts;
  memberships: Memberships;
  upstreams: readonly UpstreamProvider[];
}

/** Serves single sign-on with other providers, SCIM, and their settings. */
export function serveCompanySignIn(service: Identity, parts: SignInParts): void {
  const { app, clock, config, db, logger } = service;
  const { accounts, companies, issuer, limits, memberships } = parts;
  const { origin } = new URL(issuer);
  const callback = `${origin}${CALLBACK_PATH}`;
  const send = createSender({
    config,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    resolve: strangersNames(),
  });
  upstreamRoutes(app, {
    ...parts,
    logger,
    upstream: createUpstream({
      configurationOf: createDiscoveries(send),
      send,
      callback,
    }),
    async find(key) {
      const [, companyId] = /^company\/(.+)$/.exec(key) ?? [];
      return companyId === undefined
        ? parts.upstreams.find((one) => one.key === key)
        : companies.providers.find(companyId);
    },
    async ofAddress(email) {
      const companyId = await companies.domains.companyOfAddress(email);
      return companyId === undefined ? undefined : companies.providers.find(companyId);
    },
    admit: createAdmit({ db, accounts, domains: companies.domains, memberships, clock }),
  });

  const scimUrl = `${origin}${SCIM_PATH}`;
  const scim = { store: createScimStore(db), memberships, clock, baseUrl: scimUrl };
  app.hono.route(
    SCIM_PATH,
    scimRoutes({
      tokens: createScimTokens(scim),
      users: createScimUsers({
        ...scim,
        accounts,
        vouchesFor: async (companyId, email) =>
          (await companies.domains.companyOfAddress(email)) === companyId,
      }),
      groups: createScimGroups(scim),
      baseUrl: scimUrl,
      limit: limits.scim,
    }),
  );

  const { encryption } = companies;
  companySignInRoutes(
    app,
    createCompanySignIn({
      ...{ db, encryption, clock, scimUrl, readTxt },
      callbackUrl: callback,
      testProvider: createTestProvider({
        configurationOf: (provider) => createDiscoveries(send)(provider),
        callback,
      }),
    }),
  );
}
