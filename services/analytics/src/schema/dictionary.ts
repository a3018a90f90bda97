import { boolean, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/** The explained names of events and properties. */
export const dictionary = pgTable(
  'dictionary',
  {
    projectId: text('project_id').notNull(),
    kind: text({ enum: ['event', 'property'] }).notNull(),
    name: text().notNull(),
    description: text().notNull(),
    /** The sub of a member. */
    owner: text(),
    hidden: boolean().notNull(),
    verified: boolean().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.kind, table.name] }),
    index('dictionary_by_owner').on(table.owner),
  ],
);
