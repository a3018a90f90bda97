import { bigint, foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** The offset of the source record in `report-runs`, or the offset up to which the topic had been consumed. */
const logOffset = () => bigint('log_offset', { mode: 'bigint' });

/** The last recorded run of each report. */
export const reportRuns = pgTable(
  'report_runs',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    /** Identifies this run; the content of a run never changes. */
    runId: text('run_id').notNull(),
    ranAt: time('ran_at').notNull(),
    logOffset: logOffset(),
    /** JSON of the report without its cohort. */
    report: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId] }),
    index('report_runs_by_age').on(table.ranAt),
  ],
);

/** The cohort of a run. In a separate table, so that the code that serves links cannot read it by mistake. */
export const reportRunCohorts = pgTable(
  'report_run_cohorts',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    runId: text('run_id').notNull(),
    /** JSON. */
    cohort: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId] }),
    foreignKey({
      columns: [table.projectId, table.reportId],
      foreignColumns: [reportRuns.projectId, reportRuns.reportId],
    }),
  ],
);

/** The reason why the report's query failed since its last run. Public links do not show it. */
export const reportRunFailures = pgTable(
  'report_run_failures',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    runId: text('run_id').notNull(),
    failedAt: time('failed_at').notNull(),
    logOffset: logOffset(),
    code: text().notNull(),
    message: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId] }),
    index('report_run_failures_by_age').on(table.failedAt),
  ],
);

/** The last runs and failures of each report. Content is null if the run failed or is too large to keep. */
export const reportRunHistory = pgTable(
  'report_run_history',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    runId: text('run_id').notNull(),
    ranAt: time('ran_at').notNull(),
    /** JSON of the report without its cohort. */
    report: text(),
    /** The reason for a failure. Null if the query succeeded. */
    code: text(),
    message: text(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId, table.runId] }),
    index('report_run_history_newest').on(table.projectId, table.reportId, table.ranAt, table.runId),
    index('report_run_history_by_age').on(table.ranAt),
  ],
);
