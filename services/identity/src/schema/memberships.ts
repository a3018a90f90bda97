import { bigint, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/** Changes of memberships that are not published yet. */
export const unpublishedMemberships = pgTable(
  'unpublished_memberships',
  {
    companyId: text('company_id').notNull(),
    sub: text().notNull(),
    /** The JSON of the record; null if the member is removed. */
    content: text(),
    /** Microseconds since 1970, so that it still grows if the database is restored. */
    revision: bigint({ mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.companyId, table.sub] }),
    index('unpublished_memberships_by_revision').on(table.revision),
  ],
);
