import { offsetsTable } from '@switchboard/outbox/schema';
import { bigserial, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** The states of the cohorts that webhooks watch, as analytics last published them. */
export const cohortStates = pgTable(
  'cohort_states',
  {
    projectId: text('project_id').notNull(),
    cohortId: text('cohort_id').notNull(),
    members: integer(),
    failure: text(),
    /** The time of the last comparison that did not fail. */
    comparedAt: time('compared_at'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.cohortId] })],
);

/** Projects with watched cohorts that changed since they were last published to the topic `watched-cohorts`. */
export const unpublishedWatches = pgTable(
  'unpublished_watches',
  {
    projectId: text('project_id').primaryKey(),
    /** Increases with each change. */
    revision: bigserial({ mode: 'bigint' }).notNull(),
  },
  (table) => [index('unpublished_watches_by_revision').on(table.revision)],
);

/** The progress of publishing to the topic `watched-cohorts`. One row. */
export const publishedWatches = offsetsTable('published_watches');
