import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.ts';

export const erasures = pgTable(
  'erasures',
  {
    id: text().primaryKey(),
    /** The subject as JSON. Null once every service has completed the erasure of a person or colleague. */
    subject: text(),
    kind: text({ enum: ['person', 'colleague', 'project', 'company'] }).notNull(),
    /**
     * Null for the erasure of a colleague or company. The erasure of a project is kept, so that its id is never
     * reused.
     */
    projectId: text('project_id'),
    /** The company of the project, or the erased company, which is kept for the same reason. Null for a colleague. */
    companyId: text('company_id'),
    createdAt: createdAt(),
  },
  (table) => [
    index('erasures_done').on(table.createdAt).where(sql`${table.subject} is null`),
    index('erasures_of_project').on(table.projectId, table.id).where(sql`${table.projectId} is not null`),
    index('erasures_of_company').on(table.companyId, table.id).where(sql`${table.companyId} is not null`),
  ],
);

/** The progress of each service in each region on an erasure. */
export const erasureParts = pgTable(
  'erasure_parts',
  {
    erasureId: text('erasure_id')
      .notNull()
      .references(() => erasures.id),
    region: text().notNull(),
    service: text().notNull(),
    doneAt: timestamp('done_at', { withTimezone: true, precision: 3 }),
  },
  (table) => [
    primaryKey({ columns: [table.erasureId, table.region, table.service] }),
    index('erasure_parts_open').on(table.erasureId).where(sql`${table.doneAt} is null`),
  ],
);
