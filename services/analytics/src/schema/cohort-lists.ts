import type { CohortList, Combination, DidCondition } from '@switchboard/contracts';
import { offsetsTable } from '@switchboard/outbox/schema';
import { bigserial, index, json, jsonb, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true });

/** The cohorts with conditions on what people did, and when their lists are computed. */
export const cohortLists = pgTable(
  'cohort_lists',
  {
    projectId: text('project_id').notNull(),
    cohortId: text('cohort_id').notNull(),
    did: jsonb().$type<DidCondition[]>().notNull(),
    combine: text().$type<Combination>().notNull(),
    /** The published state of the list. */
    list: json().$type<CohortList>().notNull(),
    dueAt: time('due_at').notNull(),
    /** The end of the claim of a running computation. No other instance computes the list before this time. */
    claimedUntil: time('claimed_until'),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.cohortId] }),
    index('cohort_lists_by_time').on(table.dueAt),
  ],
);

/** The members of computed lists, divided by the beginning of the MD5 of the distinct id. */
export const cohortParts = pgTable(
  'cohort_parts',
  {
    projectId: text('project_id').notNull(),
    cohortId: text('cohort_id').notNull(),
    prefix: text().notNull(),
    members: jsonb().$type<string[]>().notNull(),
    /** Hash of the members as computed. Empty if the part has changed since, so that it is written again. */
    digest: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.cohortId, table.prefix] })],
);

/** Parts, and states of lists, that changed since they were last published to the topic `cohort-members`. */
export const unpublishedCohortParts = pgTable(
  'unpublished_cohort_parts',
  {
    projectId: text('project_id').notNull(),
    cohortId: text('cohort_id').notNull(),
    /** `*` for the state of the list. */
    prefix: text().notNull(),
    /** Increases with each change. */
    revision: bigserial({ mode: 'bigint' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.cohortId, table.prefix] }),
    index('unpublished_cohort_parts_by_revision').on(table.revision),
  ],
);

/** The progress of publishing to the topic `cohort-members`. One row. */
export const publishedCohortParts = offsetsTable('published_cohort_parts');
