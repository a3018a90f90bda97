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
    preferences: json().$type<InboxPreferences>().notNull(),
    /** When to look for waiting conversations next. Null if the member gets no digest. */
    lookAt: timestampMs('look_at'),
    /** Conversations that waited at this time were in a digest. */
    digestedUntil: timestampMs('digested_until'),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.sub] }),
    uniqueIndex('inbox_preferences_by_number').on(table.number),
    index('inbox_preferences_due').on(table.lookAt).where(sql`${table.lookAt} is not null`),
  ],
);
