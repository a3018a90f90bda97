import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, isNotNull } from 'drizzle-orm';
import { companyDomains, upstreamAccounts, upstreamProviders } from '../schema/index.ts';

export type ProviderRow = typeof upstreamProviders.$inferSelect;
export type DomainRow = typeof companyDomains.$inferSelect;

/** A person as one provider knows them. */
export type UpstreamSubject = Pick<typeof upstreamAccounts.$inferSelect, 'provider' | 'issuer' | 'subject'>;

export interface UpstreamStore {
  findProvider(companyId: string): Promise<ProviderRow | undefined>;
  saveProvider(row: ProviderRow): Promise<void>;
  removeProvider(companyId: string): Promise<void>;
  listDomains(companyId: string): Promise<DomainRow[]>;
  addDomain(row: DomainRow): Promise<void>;
  /** Returns false if another company has verified the domain. */
  verifyDomain(companyId: string, domain: string, at: Date): Promise<boolean>;
  removeDomain(companyId: string, domain: string): Promise<void>;
  /** Returns the company that has verified a domain. */
  companyOf(domain: string): Promise<string | undefined>;
  accountOf(subject: UpstreamSubject): Promise<string | undefined>;
  /** Keeps the first account of a subject. */
  link(row: typeof upstreamAccounts.$inferInsert): Promise<void>;
}

export function createUpstreamStore(db: Db | Tx): UpstreamStore {
  const domainIs = (companyId: string, domain: string) =>
    and(eq(companyDomains.companyId, companyId), eq(companyDomains.domain, domain));

  async function companyOf(domain: string) {
    const [row] = await db
      .select({ companyId: companyDomains.companyId })
      .from(companyDomains)
      .where(and(eq(companyDomains.domain, domain), isNotNull(companyDomains.verifiedAt)));
    return row?.companyId;
  }

  return {
    async findProvider(companyId) {
      const [row] = await db
        .select()
        .from(upstreamProviders)
        .where(eq(upstreamProviders.companyId, companyId));
      return row;
    },
    async saveProvider(row) {
      await db
        .insert(upstreamProviders)
        .values(row)
        .onConflictDoUpdate({ target: upstreamProviders.companyId, set: row });
    },
    async removeProvider(companyId) {
      await db.delete(upstreamProviders).where(eq(upstreamProviders.companyId, companyId));
    },
    listDomains: (companyId) =>
      db
        .select()
        .from(companyDomains)
        .where(eq(companyDomains.companyId, companyId))
        .orderBy(asc(companyDomains.domain)),
    async addDomain(row) {
      await db.insert(companyDomains).values(row).onConflictDoNothing();
    },
    async verifyDomain(companyId, domain, at) {
      return db.transaction(async (tx) => {
        const [other] = await tx
          .select({ companyId: companyDomains.companyId })
          .from(companyDomains)
          .where(and(eq(companyDomains.domain, domain), isNotNull(companyDomains.verifiedAt)))
          .for('update');
        if (other !== undefined) return other.companyId === companyId;
        await tx.update(companyDomains).set({ verifiedAt: at }).where(domainIs(companyId, domain));
        return true;
      });
    },
    async removeDomain(companyId, domain) {
      await db.delete(companyDomains).where(domainIs(companyId, domain));
    },
    companyOf,
    async accountOf({ provider, issuer, subject }) {
      const [row] = await db
        .select({ accountId: upstreamAccounts.accountId })
        .from(upstreamAccounts)
        .where(
          and(
            eq(upstreamAccounts.provider, provider),
            eq(upstreamAccounts.issuer, issuer),
            eq(upstreamAccounts.subject, subject),
          ),
        );
      return row?.accountId;
    },
    async link(row) {
      await db.insert(upstreamAccounts).values(row).onConflictDoNothing();
    },
  };
}
