import { promises as dns } from 'node:dns';
import { type Clock, newToken } from '@switchboard/runtime';
import type { UpstreamStore } from './store.ts';

/** An e-mail domain of a company, and the TXT record that proves it. */
export interface CompanyDomain {
  domain: string;
  record: { name: string; value: string };
  verifiedAt: string | null;
}

export interface Domains {
  list(companyId: string): Promise<CompanyDomain[]>;
  /** Adds a domain. Repeated calls return the same record. */
  add(companyId: string, domain: string): Promise<CompanyDomain>;
  /** Marks a domain as proven. Returns false if another company has proven it. */
  verify(companyId: string, domain: string): Promise<boolean>;
  remove(companyId: string, domain: string): Promise<void>;
  /** Returns the company that has verified the domain of an e-mail address. */
  companyOfAddress(email: string): Promise<string | undefined>;
}

/** Reads the TXT records of a name, each joined. A name without records has none. */
export type ReadTxt = (name: string) => Promise<string[]>;

const RECORD_NAME = '_switchboard';
const NO_RECORDS = ['ENODATA', 'ENOTFOUND'];

export const readTxt: ReadTxt = async (name) => {
  const resolver = new dns.Resolver({ timeout: 2000, tries: 2 });
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_RECORDS.includes(String(error.code))) return [];
    throw error;
  }
};

export function createDomains({ store, clock }: { store: UpstreamStore; clock: Clock }): Domains {
  const shown = ({
    domain,
    challenge,
    verifiedAt,
  }: Awaited<ReturnType<UpstreamStore['listDomains']>>[number]) => ({
    domain,
    record: { name: `${RECORD_NAME}.${domain}`, value: challenge },
    verifiedAt: verifiedAt?.toISOString() ?? null,
  });
  const find = async (companyId: string, domain: string) =>
    (await store.listDomains(companyId)).find((one) => one.domain === domain);

  return {
    list: async (companyId) => (await store.listDomains(companyId)).map(shown),

    async add(companyId, domain) {
      await store.addDomain({ companyId, domain, challenge: `switchboard=${newToken()}`, verifiedAt: null });
      const row = await find(companyId, domain);
      if (row === undefined) throw new Error('the domain was removed while it was added');
      return shown(row);
    },

    verify: (companyId, domain) => store.verifyDomain(companyId, domain, clock.now()),

    remove: (companyId, domain) => store.removeDomain(companyId, domain),

    async companyOfAddress(email) {
      const domain = email.toLowerCase().split('@').at(-1) ?? '';
      return store.companyOf(domain);
    },
  };
}
