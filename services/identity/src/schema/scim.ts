import { index, json, pgTable, primaryKey, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Tokens with which a company's provider manages its users and groups. */
export const scimTokens = pgTable(
  'scim_tokens',
  {
    hash: text().primaryKey(),
    /** Names the token in lists. */
    id: text().notNull().unique(),
    companyId: text('company_id').notNull(),
    name: text().notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [index('scim_tokens_by_company').on(table.companyId)],
);

/** Users as a company's provider knows them. */
export const scimUsers = pgTable(
  'scim_users',
  {
    companyId: text('company_id').notNull(),
    id: text().notNull(),
    accountId: text('account_id').notNull(),
    /** The user name in lower case. */
    userName: text('user_name').notNull(),
    externalId: text('external_id'),
    /** The attributes as sent. */
    attributes: json().$type<Record<string, unknown>>().notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.id] }),
    uniqueIndex('scim_users_by_name').on(table.companyId, table.userName),
    index('scim_users_by_external_id').on(table.companyId, table.externalId),
    index('scim_users_by_account').on(table.accountId),
  ],
);

/** Groups as a company's provider knows them. */
export const scimGroups = pgTable(
  'scim_groups',
  {
    companyId: text('company_id').notNull(),
    id: text().notNull(),
    /** The display name in lower case. */
    groupName: text('group_name').notNull(),
    externalId: text('external_id'),
    /** The attributes as sent, without members. */
    attributes: json().$type<Record<string, unknown>>().notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.id] }),
    uniqueIndex('scim_groups_by_name').on(table.companyId, table.groupName),
  ],
);

export const scimGroupMembers = pgTable(
  'scim_group_members',
  {
    companyId: text('company_id').notNull(),
    groupId: text('group_id').notNull(),
    userId: text('user_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.groupId, table.userId] }),
    index('scim_group_members_by_user').on(table.companyId, table.userId),
  ],
);

/** The role that members of a provider's group get in the company. */
export const groupRoles = pgTable(
  'group_roles',
  {
    companyId: text('company_id').notNull(),
    /** The name of the group in lower case. */
    groupName: text('group_name').notNull(),
    role: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.groupName] })],
);
