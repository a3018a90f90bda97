import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.ts';

export const erasures = pgTable(
  'erasures',
  {
    id: text().primaryKey(),
    /** JSON of whose data is erased; null once every service has erased it. */
    subject: text(),
    kind: text({ enum: ['person', 'colleague'] }).notNull(),
    /** Null: a colleague, who belongs to no project. */
    projectId: text('project_id'),
    createdAt: createdAt(),
  },
  (table) => [index('erasures_done').on(table.createdAt).where(sql`${table.subject} is null`)],
);

/** What each service of each region has done of an erasure. */
export const erasureParts = pgTable(
  'erasure_parts',
  {
    erasureId: text('erasure_id')
      .notNull()
      .references(() => erasures.id),
    region: text().notNull(),
    service: text().notNull(),
    doneAt: timestamp('done_at', { withTimezone: true, precision: 3 }),
  },
  (table) => [
    primaryKey({ columns: [table.erasureId, table.region, table.service] }),
    index('erasure_parts_open').on(table.erasureId).where(sql`${table.doneAt} is null`),
  ],
);
