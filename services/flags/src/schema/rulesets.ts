import type { Clause, CohortList, Combination, DidCondition, FlagEntry } from '@switchboard/contracts';
import { offsetsTable } from '@switchboard/outbox/schema';
import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
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
  /** The time of the last change of a flag or cohort, to the millisecond. */
  changedAt: timestamp('changed_at', { withTimezone: true, precision: 3, mode: 'date' })
    .notNull()
    .default(sql`'epoch'`),
  /** JSON of the flags and cohorts, so that reading a ruleset reads one row. Written by each change. */
  document: text(),
  /** The change that wrote the document. The document is used if it is the last one. */
  documentedAt: timestamp('documented_at', { withTimezone: true, precision: 3, mode: 'date' }),
});

export const flags = pgTable(
  'flags',
  {
    projectId: text('project_id').notNull(),
    key: text().notNull(),
    /** The whole ruleset entry. Uses json because jsonb would reorder the properties of its values. */
    entry: json().$type<FlagEntry>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.key] })],
);

/** The latest states of each flag, written with each change. Those of deleted flags are kept. */
export const flagVersions = pgTable(
  'flag_versions',
  {
    projectId: text('project_id').notNull(),
    key: text().notNull(),
    /** Starts at 1. */
    version: integer().notNull(),
    /** Null if the flag was deleted. */
    entry: json().$type<FlagEntry>(),
    /** Null if unknown or erased. */
    author: text(),
    reason: text(),
    at: timestamp({ withTimezone: true, precision: 3, mode: 'date' }).notNull().defaultNow(),
    /** The people who approved the change. An item is null if erased. Null: no one did. */
    approvedBy: text('approved_by').array().$type<(string | null)[]>(),
    /** Whether the flag was switched off without the approvals that the project required. */
    isEmergency: boolean('is_emergency').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.key, table.version] }),
    index('flag_versions_by_author').on(table.author),
    index('flag_versions_by_approver')
      .using('gin', table.approvedBy)
      .where(sql`${table.approvedBy} is not null`),
  ],
);

export const cohorts = pgTable(
  'cohorts',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    name: text().notNull(),
    match: json().$type<Clause[]>(),
    did: json().$type<DidCondition[]>(),
    combine: text().$type<Combination>(),
    /** The state of the list of people who fulfill `did`. Null before the first. */
    list: json().$type<CohortList>(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] })],
);

/** The people that a cohort lists. Evaluation reads the table by person, edits read it by cohort. */
export const cohortPeople = pgTable(
  'cohort_people',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    cohortId: text('cohort_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId, table.cohortId] }),
    // No foreign key: checking it for each row took a third of the time of replacing a cohort.
    index('cohort_people_by_cohort').on(table.projectId, table.cohortId),
  ],
);

/** The people who fulfill the conditions `did` of cohorts, as analytics computed them. */
export const cohortMembers = pgTable(
  'cohort_members',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    cohortId: text('cohort_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId, table.cohortId] }),
    // A record has the members with a prefix of the MD5.
    index('cohort_members_by_prefix').on(
      table.projectId,
      table.cohortId,
      sql`(left(md5(${table.distinctId}), 4) collate "C")`,
    ),
  ],
);

/** Cohorts that changed or were deleted since they were last published to the topic `cohorts`. */
export const unpublishedCohorts = pgTable(
  'unpublished_cohorts',
  {
    projectId: text('project_id').notNull(),
    cohortId: text('cohort_id').notNull(),
    /** Increases with each change. */
    revision: bigserial({ mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.cohortId] }),
    index('unpublished_cohorts_by_revision').on(table.revision),
  ],
);

/** The progress of publishing to the topic `cohorts`. */
export const publishedCohorts = offsetsTable('published_cohorts');
