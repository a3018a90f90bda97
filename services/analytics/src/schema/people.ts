import { bigint, boolean, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

export { personIds } from '@switchboard/person-ids/schema';
export { appliedPositions, groups, people } from '@switchboard/user-state/schema';

/** The cohorts of the topic `cohorts`. */
export const cohorts = pgTable(
  'cohorts',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    /** Clauses that must all match. An empty list matches no one. */
    match: json().notNull(),
    /** Additional members. */
    distinctIds: text('distinct_ids').array().notNull(),
    /** Whether flags could not publish the cohort because of its size. Its members are unknown. */
    isTooLarge: boolean('is_too_large').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] })],
);

const version = (name: string) => bigint(name, { mode: 'number' });

/** The version of the map of each project that has or had a person with several ids. */
export const personMaps = pgTable('person_maps', {
  projectId: text('project_id').primaryKey(),
  /** Grows by one with every changed id. */
  version: version('version').notNull(),
  /** The version after which `person_id_changes` has every change. */
  completeAfter: version('complete_after').notNull().default(0),
});

/** The latest changes of `person_ids`, from which copies of a project's map are refreshed. */
export const personIdChanges = pgTable(
  'person_id_changes',
  {
    projectId: text('project_id').notNull(),
    version: version('version').notNull(),
    distinctId: text('distinct_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.version] })],
);
