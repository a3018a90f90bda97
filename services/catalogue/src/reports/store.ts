import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, eq, gt } from 'drizzle-orm';
import { reports } from '../schema/index.ts';

export type ReportRow = typeof reports.$inferSelect;

export interface ReportsStore {
  /** Returns a page of the project's reports, ordered by id. */
  list(projectId: string, page: PageRequest): Promise<Page<ReportRow>>;
  find(projectId: string, id: string): Promise<ReportRow | undefined>;
  /** Adds or updates a report and returns the generation. A new report gets a new generation. */
  upsert(row: Omit<ReportRow, 'generation'>): Promise<string | null>;
  /** Returns false if the report did not exist. */
  remove(projectId: string, id: string): Promise<boolean>;
}

const named = (projectId: string, id: string) => and(eq(reports.projectId, projectId), eq(reports.id, id));

export function createReportsStore(db: Db | Tx): ReportsStore {
  return {
    async list(projectId, { cursor, limit }) {
      const isAfter = cursor === undefined ? undefined : gt(reports.id, cursor);
      const rows = await db
        .select()
        .from(reports)
        .where(and(eq(reports.projectId, projectId), isAfter))
        .orderBy(asc(reports.id))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },

    async find(projectId, id) {
      const [row] = await db.select().from(reports).where(named(projectId, id));
      return row;
    },

    async upsert(row) {
      const { projectId: _, id: __, ...set } = row;
      const [stored] = await db
        .insert(reports)
        .values({ ...row, generation: randomUUID() })
        .onConflictDoUpdate({ target: [reports.projectId, reports.id], set })
        .returning({ generation: reports.generation });
      return stored?.generation ?? null;
    },

    async remove(projectId, id) {
      const removed = await db.delete(reports).where(named(projectId, id)).returning({ id: reports.id });
      return removed.length > 0;
    },
  };
}
