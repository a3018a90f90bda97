import { boolean, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

export { appliedPositions, groups, people } from '@switchboard/user-state/schema';

/** The cohorts of the topic `cohorts`. */
export const cohorts = pgTable(
  'cohorts',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    /** Clauses that all have to match; nobody fulfils an empty list. */
    match: json().notNull(),
    /** Who belongs to it besides. */
    distinctIds: text('distinct_ids').array().notNull(),
    /** Flags could not publish it: nothing is known of who belongs to it. */
    isTooLarge: boolean('is_too_large').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] })],
);
