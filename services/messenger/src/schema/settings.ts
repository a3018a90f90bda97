import type { Placement } from '@switchboard/contracts';
import { bigint, boolean, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { timestampMs } from './columns.ts';

/** The help site from the last read of the provider. There is no row if it had none. */
export const helpSites = pgTable('help_sites', {
  projectId: text('project_id').primaryKey(),
  url: text().notNull(),
  articles: bigint({ mode: 'number' }).notNull(),
  languages: json().$type<string[]>().notNull(),
  capped: boolean().notNull(),
  lastReadAt: timestampMs('last_read_at').notNull(),
  /** The reason why the last read failed. Null if it succeeded. */
  readError: text('read_error'),
});

export const articleSearches = pgTable('article_searches', {
  projectId: text('project_id').primaryKey(),
  on: boolean().notNull(),
  placement: text().$type<Placement>().notNull(),
});

/** UTF-8 bytes translated for a company, by calendar month (UTC, YYYY-MM). */
export const translatedBytes = pgTable(
  'translated_bytes',
  {
    companyId: text('company_id').notNull(),
    month: text().notNull(),
    bytes: bigint({ mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.companyId, table.month] })],
);
