import type { Clock, Encryption } from '@switchboard/runtime';
import type { UpstreamProvider } from './providers.ts';
import type { UpstreamStore } from './store.ts';

/** The provider of a company, without its secret. */
export interface CompanyProvider {
  name: string;
  issuer: string;
  clientId: string;
  scopes: readonly string[];
  groupsClaim: string;
  /** Whether people with an address of the company's domains must use the provider. */
  enforced: boolean;
}

export interface CompanyProviders {
  get(companyId: string): Promise<CompanyProvider | undefined>;
  /** Returns the provider as people are sent to it. */
  find(companyId: string): Promise<UpstreamProvider | undefined>;
  save(companyId: string, provider: CompanyProvider & { clientSecret: string }): Promise<void>;
  remove(companyId: string): Promise<void>;
}

interface CompanyProvidersOptions {
  store: UpstreamStore;
  encryption: Encryption;
  clock: Clock;
}

export function createCompanyProviders({
  store,
  encryption,
  clock,
}: CompanyProvidersOptions): CompanyProviders {
  return {
    async get(companyId) {
      const row = await store.findProvider(companyId);
      if (row === undefined) return undefined;
      const { name, issuer, clientId, scopes, groupsClaim, isEnforced } = row;
      return { name, issuer, clientId, scopes, groupsClaim, enforced: isEnforced };
    },
    async find(companyId) {
      const row = await store.findProvider(companyId);
      if (row === undefined) return undefined;
      const { name, issuer, clientId, scopes, groupsClaim } = row;
      const clientSecret = await encryption.decrypt(row.clientSecret, companyId);
      return {
        key: `company/${companyId}`,
        name,
        issuer,
        clientId,
        clientSecret,
        scopes,
        groupsClaim,
        companyId,
        github: undefined,
      };
    },
    async save(companyId, { name, issuer, clientId, clientSecret, scopes, groupsClaim, enforced }) {
      await store.saveProvider({
        companyId,
        name,
        issuer,
        clientId,
        groupsClaim,
        isEnforced: enforced,
        scopes: [...scopes],
        clientSecret: await encryption.encrypt(clientSecret, companyId),
        updatedAt: clock.now(),
      });
    },
    remove: (companyId) => store.removeProvider(companyId),
  };
}
