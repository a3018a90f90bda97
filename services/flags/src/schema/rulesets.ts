import type { Clause, FlagEntry } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import { foreignKey, index, integer, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

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
    index('cohort_people_by_cohort').on(table.projectId, table.cohortId),
    foreignKey({
      columns: [table.projectId, table.cohortId],
      foreignColumns: [cohorts.projectId, cohorts.id],
      name: 'cohort_people_cohort',
    }).onDelete('cascade'),
  ],
);
