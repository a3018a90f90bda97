import type { Wire } from '@switchboard/contracts';
import { boolean, index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.ts';
import { companies } from './companies.ts';

export const projects = pgTable(
  'projects',
  {
    id: text().primaryKey(),
    companyId: text('company_id')
      .notNull()
      .references(() => companies.id),
    name: text().notNull(),
    region: text().notNull(),
    defaultLanguage: text('default_language').notNull(),
    /** Null: any origin. */
    allowedOrigins: text('allowed_origins').array(),
    /** Null: none. */
    wires: text().array().$type<Wire[]>(),
    /** How many other people must approve a change of a flag. Null: none. */
    flagApprovals: smallint('flag_approvals'),
  },
  (table) => [index('projects_of_company').on(table.companyId, table.id)],
);

export const projectKeys = pgTable(
  'project_keys',
  {
    key: text().primaryKey(),
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    createdAt: createdAt(),
  },
  (table) => [index('project_keys_by_project').on(table.projectId, table.createdAt)],
);

/** The limits that operators set for projects. */
export const throttles = pgTable('throttles', {
  projectId: text('project_id')
    .primaryKey()
    .references(() => projects.id, { onDelete: 'cascade' }),
  /** 0: all events are dropped. */
  eventsPerSecond: integer('events_per_second').notNull(),
  createdAt: createdAt(),
});

export const reports = pgTable(
  'reports',
  {
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id),
    id: text().notNull(),
    name: text().notNull(),
    description: text(),
    publicAnnotations: boolean('public_annotations').notNull().default(false),
    /** JSON. */
    query: text(),
    refresh: text(),
    /** Differs between successive reports with the same id. Null: created before generations existed. */
    generation: text(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] })],
);
