import type { InboxPreferences } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import { index, json, pgTable, primaryKey, serial, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { timestampMs } from './columns.ts';

/** How members hear of waiting conversations. */
export const inboxPreferences = pgTable(
  'inbox_preferences',
  {
    projectId: text('project_id').notNull(),
    sub: text().notNull(),
    /** Names the member in the addresses of digests. */
    number: serial().notNull(),
    preferences: json().$type<Partial<InboxPreferences>>().notNull(),
    /** When to look for waiting conversations next. Null if the member gets no digest. */
    lookAt: timestampMs('look_at'),
    /** The conversations of the last digest, each with the time since when it waited. */
    digested: text().array().notNull().default([]),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.sub] }),
    uniqueIndex('inbox_preferences_by_number').on(table.number),
    index('inbox_preferences_due').on(table.lookAt).where(sql`${table.lookAt} is not null`),
  ],
);
