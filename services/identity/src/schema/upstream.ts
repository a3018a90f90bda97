import { sql } from 'drizzle-orm';
import { boolean, index, json, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Identity providers that companies sign in with. Those of the whole deployment are settings. */
export const upstreamProviders = pgTable('upstream_providers', {
  companyId: text('company_id').primaryKey(),
  name: text().notNull(),
  issuer: text().notNull(),
  clientId: text('client_id').notNull(),
  /** Encrypted. */
  clientSecret: text('client_secret').notNull(),
  scopes: json().$type<string[]>().notNull(),
  /** The claim with the names of a person's groups. */
  groupsClaim: text('groups_claim').notNull(),
  /** Whether members with an address of the company's domains must use this provider. */
  isEnforced: boolean('is_enforced').notNull(),
  updatedAt: time('updated_at').notNull(),
});

/** E-mail domains of companies. Only a verified one lets the company's provider vouch for its addresses. */
export const companyDomains = pgTable(
  'company_domains',
  {
    companyId: text('company_id').notNull(),
    domain: text().notNull(),
    /** The value of the TXT record that proves the domain. */
    challenge: text().notNull(),
    verifiedAt: time('verified_at'),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.domain] }),
    uniqueIndex('company_domains_verified').on(table.domain).where(sql`${table.verifiedAt} is not null`),
  ],
);

/** The account of each person that a provider vouches for. */
export const upstreamAccounts = pgTable(
  'upstream_accounts',
  {
    /** The key of the provider. One provider cannot open the accounts of another, whatever issuer it names. */
    provider: text().notNull(),
    /** The issuer. Subjects are unique within it. */
    issuer: text().notNull(),
    subject: text().notNull(),
    accountId: text('account_id').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.provider, table.issuer, table.subject] }),
    index('upstream_accounts_by_account').on(table.accountId),
  ],
);
