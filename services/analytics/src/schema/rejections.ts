import { bigint, index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 }).notNull();

/** The requests that ingestion rejected, by hour and reason. */
export const rejections = pgTable(
  'rejections',
  {
    projectId: text('project_id').notNull(),
    hour: time('hour'),
    operation: text().notNull(),
    status: integer().notNull(),
    reason: text().notNull(),
    requests: bigint({ mode: 'number' }).notNull(),
    lastAt: time('last_at'),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.hour, table.operation, table.status, table.reason] }),
    index('rejections_by_hour').on(table.hour),
  ],
);
