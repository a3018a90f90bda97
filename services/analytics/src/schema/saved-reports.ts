import { index, integer, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true });

/** Saved reports that wait for their next run. */
export const savedReports = pgTable(
  'saved_reports',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    nextRunAt: time('next_run_at').notNull(),
    /** The refresh interval, as of the last search of the directory. */
    refresh: text(),
    /** The end of the claim of a running report. No other instance runs it before this time. */
    claimedUntil: time('claimed_until'),
    /** The number of consecutive runs that found the engine busy. */
    attempts: integer().notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId] }),
    index('saved_reports_by_time').on(table.nextRunAt),
  ],
);
