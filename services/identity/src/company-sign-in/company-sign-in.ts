import {
  COMPANY_DOMAINS_MAX_COUNT,
  SCIM_TOKENS_MAX_COUNT,
  type SignInSettings,
  type SignInSettingsInput,
} from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { type AuditedChange, BadRequest, Conflict, NotFound } from '@switchboard/http';
import type { Clock, Encryption } from '@switchboard/runtime';
import { createGroupRoles } from '../scim/group-roles.ts';
import { createScimStore } from '../scim/store.ts';
import { createScimTokens, type ScimToken } from '../scim/tokens.ts';
import { createCompanyProviders } from '../upstream/company-provider.ts';
import { type CompanyDomain, createDomains, type ReadTxt } from '../upstream/domains.ts';
import { createUpstreamStore } from '../upstream/store.ts';
import type { ProviderTest, TestProvider } from '../upstream/test-provider.ts';

/** How the people of companies sign in. */
export interface CompanySignIn {
  get(companyId: string): Promise<SignInSettings>;
  listDomains(companyId: string): Promise<CompanyDomain[]>;
  /** Throws NotFound. */
  getDomain(companyId: string, domain: string): Promise<CompanyDomain>;
  listScimTokens(companyId: string): Promise<ScimToken[]>;
  /** Throws BadRequest for a new provider without a secret. */
  put(change: AuditedChange, companyId: string, settings: SignInSettingsInput): Promise<SignInSettings>;
  /** Tests the provider. Throws NotFound. */
  test(change: AuditedChange, companyId: string): Promise<ProviderTest>;
  /** Throws Conflict when the company has too many domains. */
  addDomain(change: AuditedChange, companyId: string, domain: string): Promise<CompanyDomain>;
  /** An operator needs no record. Throws NotFound, and Conflict if the domain is not proven. */
  verifyDomain(
    change: AuditedChange,
    companyId: string,
    domain: string,
    byOperator: boolean,
  ): Promise<CompanyDomain>;
  removeDomain(change: AuditedChange, companyId: string, domain: string): Promise<void>;
  /** Throws Conflict when the company has too many tokens. */
  createScimToken(
    change: AuditedChange,
    companyId: string,
    name: string,
  ): Promise<{ id: string; name: string; createdAt: string; token: string }>;
  removeScimToken(change: AuditedChange, companyId: string, id: string): Promise<void>;
}

interface CompanySignInOptions {
  db: Db;
  encryption: Encryption;
  clock: Clock;
  scimUrl: string;
  callbackUrl: string;
  readTxt: ReadTxt;
  testProvider: TestProvider;
}

export function createCompanySignIn(options: CompanySignInOptions): CompanySignIn {
  const { db, encryption, clock, scimUrl, callbackUrl, readTxt, testProvider } = options;

  const on = (connection: Db | Tx) => {
    const store = createUpstreamStore(connection);
    return {
      providers: createCompanyProviders({ store, encryption, clock }),
      domains: createDomains({ store, clock }),
      groupRoles: createGroupRoles(createScimStore(connection)),
      tokens: createScimTokens({ store: createScimStore(connection), clock }),
    };
  };

  async function get(companyId: string, connection: Db | Tx = db): Promise<SignInSettings> {
    const { providers, groupRoles } = on(connection);
    const provider = await providers.get(companyId);
    return {
      provider: provider === undefined ? null : { ...provider, scopes: [...provider.scopes] },
      groupRoles: await groupRoles.list(companyId),
      scimUrl,
      callbackUrl,
    };
  }

  async function getDomain(companyId: string, domain: string): Promise<CompanyDomain> {
    const found = (await on(db).domains.list(companyId)).find((one) => one.domain === domain);
    if (found === undefined) throw new NotFound('Domain not found.');
    return found;
  }

  return {
    get,
    listDomains: (companyId) => on(db).domains.list(companyId),
    getDomain,
    listScimTokens: (companyId) => on(db).tokens.list(companyId),

    put: (change, companyId, { provider, groupRoles }) =>
      change.transaction(async (tx) => {
        const { providers, groupRoles: roles } = on(tx);
        const before = await providers.find(companyId);
        if (provider === null) await providers.remove(companyId);
        else {
          const clientSecret = provider.clientSecret ?? before?.clientSecret;
          if (clientSecret === undefined)
            throw new BadRequest('provider.clientSecret: required for a new provider');
          await providers.save(companyId, { ...provider, clientSecret });
        }
        await roles.replace(companyId, groupRoles);
        const after = await get(companyId, tx);
        change.describe({ after: { provider: after.provider, groupRoles: after.groupRoles } });
        return after;
      }),

    async test(change, companyId) {
      const provider = await on(db).providers.find(companyId);
      if (provider === undefined) throw new NotFound('Provider not found: the company has none.');
      const tested = await testProvider(provider);
      await change.record();
      return tested;
    },

    addDomain: (change, companyId, domain) =>
      change.transaction(async (tx) => {
        const { domains } = on(tx);
        const known = await domains.list(companyId);
        if (known.length >= COMPANY_DOMAINS_MAX_COUNT && !known.some((one) => one.domain === domain)) {
          throw new Conflict(`The company has ${COMPANY_DOMAINS_MAX_COUNT} domains. Remove one first.`);
        }
        return domains.add(companyId, domain);
      }),

    async verifyDomain(change, companyId, domain, byOperator) {
      const known = await getDomain(companyId, domain);
      const { name, value } = known.record;
      // The name server may be slow, so it is asked before the transaction begins.
      if (!byOperator && !(await readTxt(name)).includes(value)) {
        throw new Conflict(`${name} has no TXT record with the value ${value}. Create it and verify again.`);
      }
      return change.transaction(async (tx) => {
        const { domains } = on(tx);
        if (!(await domains.verify(companyId, domain))) {
          throw new Conflict('Another company has verified the domain. It must remove the domain first.');
        }
        const verified = (await domains.list(companyId)).find((one) => one.domain === domain);
        return verified ?? known;
      });
    },

    removeDomain: (change, companyId, domain) =>
      change.transaction((tx) => on(tx).domains.remove(companyId, domain)),

    createScimToken: (change, companyId, name) =>
      change.transaction(async (tx) => {
        const created = await on(tx).tokens.create(companyId, name);
        if (created === undefined) {
          throw new Conflict(`The company has ${SCIM_TOKENS_MAX_COUNT} SCIM tokens. Remove one first.`);
        }
        change.describe({ after: { id: created.id, name } });
        return created;
      }),

    removeScimToken: (change, companyId, id) =>
      change.transaction((tx) => on(tx).tokens.remove(companyId, id)),
  };
}
