import { sql } from 'drizzle-orm';
import { customType, date, index, pgTable, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

const dateRange = customType<{ data: string }>({ dataType: () => 'daterange' });

export const annotations = pgTable(
  'annotations',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    /** Null: the whole project. */
    reportId: text('report_id'),
    /** The report id, or empty for the whole project. The range index uses this column. */
    scope: text().notNull().generatedAlwaysAs(sql`coalesce(report_id, '')`),
    startsOn: date('starts_on').notNull(),
    endsOn: date('ends_on').notNull(),
    days: dateRange().notNull().generatedAlwaysAs(sql`daterange(starts_on, ends_on, '[]')`),
    text: text().notNull(),
    tags: text().array().notNull(),
    createdBySub: text('created_by_sub').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    index('annotations_by_days').using('gist', table.projectId, table.scope, table.days),
    index('annotations_by_start').on(table.projectId, table.scope, table.startsOn, table.createdAt, table.id),
  ],
);
