import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { asc, count, eq, gt } from 'drizzle-orm';
import { throttles } from '../schema/index.ts';

export type ThrottleRow = typeof throttles.$inferSelect;

export interface ThrottlesStore {
  /** Returns a page of throttles, ordered by project. */
  list(page: PageRequest): Promise<Page<ThrottleRow>>;
  find(projectId: string): Promise<ThrottleRow | undefined>;
  /** Adds or changes the throttle of a project. */
  put(row: Omit<ThrottleRow, 'createdAt'>): Promise<ThrottleRow | undefined>;
  /** Returns false if the project had no throttle. */
  remove(projectId: string): Promise<boolean>;
  count(): Promise<number>;
}

export function createThrottlesStore(db: Db | Tx): ThrottlesStore {
  return {
    async list({ cursor, limit }) {
      const rows = await db
        .select()
        .from(throttles)
        .where(cursor === undefined ? undefined : gt(throttles.projectId, cursor))
        .orderBy(asc(throttles.projectId))
        .limit(limit + 1);
      return toPage(rows, limit, ({ projectId }) => projectId);
    },

    async find(projectId) {
      const [row] = await db.select().from(throttles).where(eq(throttles.projectId, projectId));
      return row;
    },

    async put({ projectId, eventsPerSecond }) {
      const [row] = await db
        .insert(throttles)
        .values({ projectId, eventsPerSecond })
        .onConflictDoUpdate({ target: throttles.projectId, set: { eventsPerSecond } })
        .returning();
      return row;
    },

    async remove(projectId) {
      const gone = await db.delete(throttles).where(eq(throttles.projectId, projectId)).returning();
      return gone.length > 0;
    },

    async count() {
      const [row] = await db.select({ throttles: count() }).from(throttles);
      return row?.throttles ?? 0;
    },
  };
}
