import { date, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** Links that are on, and links that have stopped but were not turned off. */
export const publicLinks = pgTable(
  'public_links',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    /** SHA-256 of the token, base64url. */
    tokenHash: text('token_hash').notNull(),
    /** The token, encrypted with LINK_SECRET. */
    encryptedToken: text('sealed_token').notNull(),
    createdAt: time('created_at').notNull(),
    expiresOn: date('expires_on').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId] }),
    uniqueIndex('public_links_by_token').on(table.tokenHash),
  ],
);
