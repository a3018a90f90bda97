import type { JoinedBy } from '@switchboard/contracts';
import { index, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

/** The distinct ids that are joined to another one, from the topic `people`. Any other id is a person of its own. */
export const personIds = pgTable(
  'person_ids',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    /** The distinct id that names the person. It has no row. */
    personId: text('person_id').notNull(),
    joinedAt: timestamp('joined_at', { withTimezone: true, precision: 3, mode: 'date' }).notNull(),
    joinedBy: json('joined_by').$type<JoinedBy>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId] }),
    index('person_ids_by_person').on(table.projectId, table.personId),
  ],
);
