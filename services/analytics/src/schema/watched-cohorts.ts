import type { CohortChanges } from '@switchboard/contracts';
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

const time = (name: string) => timestamp(name, { withTimezone: true });

/** The cohorts of the topic `watched-cohorts`, and when their members are compared. */
export const watchedCohorts = pgTable(
  'watched_cohorts',
  {
    projectId: text('project_id').notNull(),
    cohortId: text('cohort_id').notNull(),
    /** Whether `watched_people` has the members of the cohort. */
    isKnown: boolean('is_known').notNull().default(false),
    /** The number of members at the last comparison. */
    members: integer(),
    /** Why the last comparison failed. */
    failure: text(),
    dueAt: time('due_at').notNull(),
    /** The end of the claim of a running comparison. No other instance compares the members before this time. */
    claimedUntil: time('claimed_until'),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.cohortId] }),
    index('watched_cohorts_by_time').on(table.dueAt),
  ],
);

/** The members of watched cohorts at the last comparison. */
export const watchedPeople = pgTable(
  'watched_people',
  {
    projectId: text('project_id').notNull(),
    cohortId: text('cohort_id').notNull(),
    personId: text('person_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.cohortId, table.personId] })],
);

/** Records that wait to be published to the topic `cohort-changes`. */
export const unpublishedCohortChanges = pgTable('unpublished_cohort_changes', {
  id: bigserial({ mode: 'bigint' }).primaryKey(),
  record: json().$type<CohortChanges>().notNull(),
});
