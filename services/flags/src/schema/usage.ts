import { date, index, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

// A row holds all flags of a project: a request evaluates all of them, and a row for each would cost as many writes.

const projectId = text('project_id').notNull();

/** The evaluations of a project's flags in an hour. */
export const usageHours = pgTable(
  'usage_hours',
  {
    projectId,
    hour: timestamp({ withTimezone: true, precision: 3, mode: 'date' }).notNull(),
    /** By flag, then by the key of a variation, `on` or `off`. */
    counts: jsonb().$type<Record<string, Record<string, number>>>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.hour] }),
    index('usage_hours_by_hour').on(table.hour),
  ],
);

/** The evaluations of a project's flags on a day. */
export const usageDays = pgTable(
  'usage_days',
  {
    projectId,
    /** The day in UTC. */
    day: date({ mode: 'string' }).notNull(),
    /** Like those of an hour. */
    counts: jsonb().$type<Record<string, Record<string, number>>>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.day] }),
    index('usage_days_by_day').on(table.day),
  ],
);

/** When a project's flags served each variation first and last. */
export const usageSeen = pgTable('usage_seen', {
  projectId: text('project_id').primaryKey(),
  /** By flag and variation: two times in milliseconds since 1970. */
  seen: jsonb().$type<Record<string, Record<string, [number, number]>>>().notNull(),
});
