import type { Db, Tx } from '@switchboard/database';
import type { PageRequest, Place } from '@switchboard/http';
import { and, asc, eq, gt, inArray, isNull, lte, or, sql } from 'drizzle-orm';
import { scheduledChanges } from '../schema/index.ts';

export type ScheduledRow = typeof scheduledChanges.$inferSelect;
export type NewScheduledRow = typeof scheduledChanges.$inferInsert;

interface Selection {
  key: string | undefined;
  after: Place | undefined;
  limit: PageRequest['limit'];
}

export interface ScheduledChangesStore {
  add(row: NewScheduledRow): Promise<ScheduledRow>;
  count(projectId: string): Promise<number>;
  /** Returns changes, sorted by time. */
  list(projectId: string, selection: Selection): Promise<ScheduledRow[]>;
  /** Removes and returns a change. Returns undefined if it does not exist or was applied. */
  remove(projectId: string, id: string): Promise<ScheduledRow | undefined>;
  /** Returns due changes: the earliest change of every project, then the second of every project, and so on. */
  due(limit: number): Promise<ScheduledRow[]>;
  /** Removes a pending change that is being applied. Returns false if it was already removed. */
  take(id: string): Promise<boolean>;
  /** Marks a pending change as failed. Returns false if it was already applied or cancelled. */
  fail(id: string, failure: string): Promise<boolean>;
  /** Marks the pending changes of a flag as failed. */
  failAll(projectId: string, key: string, failure: string): Promise<void>;
  /** Returns the pending changes of a project. */
  waiting(projectId: string): Promise<ScheduledRow[]>;
  /** Returns the projects that have pending changes which `author` scheduled without a token. */
  projectsOf(author: string): Promise<string[]>;
  /** Marks pending changes that `author` scheduled without a token as failed. */
  failAllOf(author: string, projectIds: readonly string[], failure: string): Promise<void>;
}

/** Matches changes scheduled by role only. The permissions of a token or operator do not end with a membership. */
const ofAuthor = (author: string) =>
  and(
    eq(scheduledChanges.author, author),
    isNull(scheduledChanges.tokenId),
    eq(scheduledChanges.everywhere, false),
    isNull(scheduledChanges.failedAt),
  );

/** The number of due changes among which projects take turns. */
const MAX_CONSIDERED = 1_000;

export function createScheduledChangesStore(db: Db | Tx): ScheduledChangesStore {
  const { id, projectId, key, at, failedAt } = scheduledChanges;
  const waits = (change: string) => and(eq(id, change), isNull(failedAt));
  return {
    async add(row) {
      const [added] = await db.insert(scheduledChanges).values(row).returning();
      if (added === undefined) throw new Error('nothing was inserted');
      return added;
    },

    count: (project) => db.$count(scheduledChanges, eq(projectId, project)),

    list: (project, { key: flag, after, limit }) =>
      db
        .select()
        .from(scheduledChanges)
        .where(
          and(
            eq(projectId, project),
            flag === undefined ? undefined : eq(key, flag),
            after && or(gt(at, after.at), and(eq(at, after.at), gt(id, after.id))),
          ),
        )
        .orderBy(asc(at), asc(id))
        .limit(limit),

    async remove(project, change) {
      const removed = await db
        .delete(scheduledChanges)
        .where(and(eq(projectId, project), eq(id, change)))
        .returning();
      return removed[0];
    },

    due: (limit) => {
      const considered = db
        .select()
        .from(scheduledChanges)
        .where(and(isNull(failedAt), lte(at, sql`now()`)))
        .orderBy(asc(at), asc(id))
        .limit(MAX_CONSIDERED)
        .as('considered');
      const turn = sql`row_number() over (partition by ${considered.projectId} order by ${considered.at}, ${considered.id})`;
      return db.select().from(considered).orderBy(turn, asc(considered.at), asc(considered.id)).limit(limit);
    },

    async take(change) {
      const taken = await db.delete(scheduledChanges).where(waits(change)).returning({ id });
      return taken.length > 0;
    },

    async fail(change, failure) {
      const failed = await db
        .update(scheduledChanges)
        .set({ failedAt: sql`now()`, failure })
        .where(waits(change))
        .returning({ id });
      return failed.length > 0;
    },

    waiting: (project) =>
      db
        .select()
        .from(scheduledChanges)
        .where(and(eq(projectId, project), isNull(failedAt))),

    async projectsOf(author) {
      const rows = await db.selectDistinct({ projectId }).from(scheduledChanges).where(ofAuthor(author));
      return rows.map((row) => row.projectId);
    },

    async failAllOf(author, projectIds, failure) {
      await db
        .update(scheduledChanges)
        .set({ failedAt: sql`now()`, failure })
        .where(and(ofAuthor(author), inArray(projectId, [...projectIds])));
    },

    async failAll(project, flag, failure) {
      await db
        .update(scheduledChanges)
        .set({ failedAt: sql`now()`, failure })
        .where(and(eq(projectId, project), eq(key, flag), isNull(failedAt)));
    },
  };
}
