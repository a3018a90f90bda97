import type { DashboardTile, InsightClause, InsightRange } from '@switchboard/contracts';
import { integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

export const dashboards = pgTable(
  'dashboards',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    name: text().notNull(),
    description: text(),
    tiles: json().$type<DashboardTile[]>().notNull(),
    range: json().$type<InsightRange>(),
    where: json().$type<InsightClause[]>().notNull(),
    /** Null if the person was erased. */
    ownerSub: text('owner_sub'),
    version: integer().notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.id] })],
);
