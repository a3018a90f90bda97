import { bigint, date, index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** 24 counts, by hour in UTC. */
const hours = (name: string) => bigint(name, { mode: 'number' }).array().notNull();

/** The accepted requests of SDKs, by wire, SDK and day. */
export const wireUsage = pgTable(
  'wire_usage',
  {
    projectId: text('project_id').notNull(),
    /** The day in UTC. */
    day: date({ mode: 'string' }).notNull(),
    wire: text().notNull(),
    /** The name and version of the SDK. Empty: unknown. */
    sdk: text().notNull(),
    version: text().notNull(),
    requests: hours('requests'),
    events: hours('events'),
    lastAt: timestamp('last_at', { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.day, table.wire, table.sdk, table.version] }),
    index('wire_usage_by_day').on(table.day),
  ],
);
