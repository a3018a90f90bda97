import { index, pgTable, text, timestamp, uniqueIndex } from 'drizzle-orm/pg-core';

const minute = (name: string) => timestamp(name, { withTimezone: true, precision: 0 }).notNull();

/** The minutes of the first and the last event or call of each distinct id. */
export const seenPeople = pgTable(
  'seen_people',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    firstSeenAt: minute('first_seen_at'),
    lastSeenAt: minute('last_seen_at'),
  },
  (table) => [
    // Also finds the beginning of an id, whatever the collation of the database.
    uniqueIndex('seen_people_by_id').on(table.projectId, table.distinctId.op('text_pattern_ops')),
    index('seen_people_by_last').on(table.projectId, table.lastSeenAt, table.distinctId),
    index('seen_people_by_first').on(table.projectId, table.firstSeenAt, table.distinctId),
  ],
);
