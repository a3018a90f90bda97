import type { Clause, FlagEntry } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import {
  bigint,
  foreignKey,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from 'drizzle-orm/pg-core';

/** One row a project that has flags or cohorts; writers of a project's ruleset take turns on it. */
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
    /** The whole ruleset entry; json, not jsonb, which would reorder the properties of its values. */
    entry: json().$type<FlagEntry>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.key] })],
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

/** Whom a cohort names. Read by person on every evaluation, by cohort when it is written. */
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

/** An object of properties, and one with the stamp of each: [timestamp, received at, offset]. */
const properties = (name: string) => json(name).notNull().default({});

export const people = pgTable(
  'people',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    traits: properties('traits'),
    /** Also of removed traits, so that an older value that comes late does not bring them back. */
    traitStamps: properties('trait_stamps'),
    /** The id of the group the person is in, by group type. */
    groups: properties('groups'),
    groupStamps: properties('group_stamps'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.distinctId] })],
);

export const groups = pgTable(
  'groups',
  {
    projectId: text('project_id').notNull(),
    type: text().notNull(),
    id: text().notNull(),
    traits: properties('traits'),
    traitStamps: properties('trait_stamps'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.type, table.id] })],
);

/** How far each partition of identifies and groups is applied; written with what was applied. */
export const appliedPositions = pgTable(
  'applied_positions',
  {
    topic: text().notNull(),
    partition: integer().notNull(),
    nextOffset: bigint('next_offset', { mode: 'number' }).notNull(),
    /** When the newest applied record was stored. */
    asOf: timestamp('as_of', { withTimezone: true, precision: 3, mode: 'date' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.topic, table.partition] })],
);
