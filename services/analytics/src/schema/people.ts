import { boolean, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

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
