import { date, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** A table of links that are on, and links that have stopped but were not turned off. */
const linksOf = (name: string, subjectColumn: string) =>
  pgTable(
    name,
    {
      projectId: text('project_id').notNull(),
      /** The report or dashboard that the link shows. */
      subjectId: text(subjectColumn).notNull(),
      /** SHA-256 of the token, base64url. */
      tokenHash: text('token_hash').notNull(),
      /** The token, encrypted with LINK_SECRET. */
      encryptedToken: text('sealed_token').notNull(),
      createdAt: time('created_at').notNull(),
      expiresOn: date('expires_on').notNull(),
    },
    (table) => [
      primaryKey({ columns: [table.projectId, table.subjectId] }),
      uniqueIndex(`${name}_by_token`).on(table.tokenHash),
    ],
  );

export const publicLinks = linksOf('public_links', 'report_id');
export const dashboardLinks = linksOf('dashboard_links', 'dashboard_id');
export type LinksTable = typeof publicLinks;
