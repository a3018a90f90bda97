import type { Clause, FlagEntry } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** One row per project that has flags or cohorts. Edits of a project lock it. */
export const rulesets = pgTable('rulesets', {
  projectId: text('project_id').primaryKey(),
  /** The last change of a flag or cohort, to the millisecond. */
  changedAt: timestamp('changed_at', { withTimezone: true, precision: 3, mode: 'date' })
    .notNull()
    .default(sql`'epoch'`),
});

export const flags = pgTable(
  'flags',
  {
    projectId: text('project_id').notNull(),
    key: text().notNull(),
    /** The whole ruleset entry. json, because jsonb would reorder the properties of its values. */
    entry: json().$type<FlagEntry>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.key] })],
);

/** The last states of each flag, written with the change. Those of deleted flags are kept. */
export const flagVersions = pgTable(
  'flag_versions',
  {
    projectId: text('project_id').notNull(),
    key: text().notNull(),
    /** From 1. */
    version: integer().notNull(),
    /** Null: the flag was deleted. */
    entry: json().$type<FlagEntry>(),
    /** Null: not known, or erased. */
    author: text(),
    reason: text(),
    at: timestamp({ withTimezone: true, precision: 3, mode: 'date' }).notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.key, table.version] }),
    index('flag_versions_by_author').on(table.author),
  ],
);

export const cohorts = pgTable(
  'cohorts',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    name: text().notNull(),
    match: json().$type<Clause[]>(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] })],
);

/** The people a cohort lists. Evaluation reads it by person, edits read it by cohort. */
export const cohortPeople = pgTable(
  'cohort_people',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    cohortId: text('cohort_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId, table.cohortId] }),
    // No foreign key: its check of each row took a third of the time of replacing a cohort.
    index('cohort_people_by_cohort').on(table.projectId, table.cohortId),
  ],
);

/** Cohorts that changed, or are gone, since they were published to the topic `cohorts`. */
export const unpublishedCohorts = pgTable(
  'unpublished_cohorts',
  {
    projectId: text('project_id').notNull(),
    cohortId: text('cohort_id').notNull(),
    /** Grows with each change. */
    revision: bigserial({ mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.cohortId] }),
    index('unpublished_cohorts_by_revision').on(table.revision),
  ],
);

/** How far the topic `cohorts` is published. */
export const publishedCohorts = pgTable('published_cohorts', {
  logPartition: integer('log_partition').primaryKey(),
  /** The offset after the last record. */
  nextOffset: bigint('next_offset', { mode: 'bigint' }).notNull(),
});
