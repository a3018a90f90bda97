import type { Role } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { json } from './columns.ts';

export const companies = pgTable(
  'companies',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    tier: text().notNull(),
    cycle: text().notNull(),
    entitlements: json('entitlements'),
    /**
     * When the deletion of the company began. Nothing is added after this time, and the row is deleted once nothing
     * belongs to the company.
     */
    removedAt: timestamp('removed_at', { withTimezone: true }),
  },
  (table) => [
    index('companies_by_plan').on(table.tier, table.cycle),
    index('companies_removed').on(table.removedAt).where(sql`${table.removedAt} is not null`),
  ],
);

export const members = pgTable(
  'members',
  {
    companyId: text('company_id')
      .notNull()
      .references(() => companies.id),
    sub: text().notNull(),
    name: text().notNull(),
    email: text().notNull(),
    role: text().$type<Role>().notNull().default('viewer'),
    avatarUrl: text('avatar_url'),
    pushSubscriptions: json('push_subscriptions'),
    /** Differs between successive memberships of the same person. Null: created before generations existed. */
    generation: text(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.sub] }),
    index('members_by_sub').on(table.sub, table.companyId),
  ],
);

/** The revision of the newest change of identity that was applied to each member, by the hash of the member. */
export const appliedMemberships = pgTable('applied_memberships', {
  memberHash: text('member_hash').primaryKey(),
  revision: bigint({ mode: 'bigint' }).notNull(),
});
