import { index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true });

/** Saved reports that wait for their next run. */
export const savedReports = pgTable(
  'saved_reports',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    nextRunAt: time('next_run_at').notNull(),
    /** How often it runs by itself, as of the last look at the directory. */
    refresh: text(),
    /** A running report: nobody else runs it before this time. */
    claimedUntil: time('claimed_until'),
    /** Runs in a row that found the engine busy. */
    attempts: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId] }),
    index('saved_reports_by_time').on(table.nextRunAt),
  ],
);
