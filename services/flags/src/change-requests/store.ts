import type { Db, Tx } from '@switchboard/database';
import type { Place } from '@switchboard/http';
import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, lte, ne, or, sql } from 'drizzle-orm';
import { changeApprovals, changeRequests } from '../schema/index.ts';

export type RequestRow = typeof changeRequests.$inferSelect;
export type ApprovalRow = typeof changeApprovals.$inferSelect;

/** The outcome of a request. */
export type Closing = { as: 'approved' | 'rejected' | 'withdrawn'; by: string | null; note: string | null };

interface Selection {
  key: string | undefined;
  state: 'waiting' | 'closed' | 'current' | undefined;
  /** The person who lists. */
  sub: string;
  after: Place | undefined;
  limit: number;
}

/** Expired requests do not wait, and count as closed. */
export interface ChangeRequestsStore {
  add(row: typeof changeRequests.$inferInsert): Promise<RequestRow>;
  find(projectId: string, id: string): Promise<RequestRow | undefined>;
  /** Returns requests, newest first. */
  list(projectId: string, selection: Selection): Promise<RequestRow[]>;
  /** Returns the waiting requests of a project. */
  waiting(projectId: string): Promise<RequestRow[]>;
  /** Returns the number of waiting requests that `sub` neither made nor approved. */
  countToDecide(projectId: string, sub: string): Promise<number>;
  /** Returns the number of requests of `sub` that were closed by others or expired, and that they have not read. */
  countToRead(projectId: string, sub: string): Promise<number>;
  markRead(id: string): Promise<void>;
  /** Returns the approvals of requests, oldest first. */
  approvals(requestIds: readonly string[]): Promise<ApprovalRow[]>;
  /** Adds an approval, or replaces the earlier one of the same person. */
  approve(row: typeof changeApprovals.$inferInsert): Promise<void>;
  removeApprovals(requestId: string, subs: readonly string[]): Promise<void>;
  close(ids: readonly string[], closing: Closing): Promise<void>;
  /** Withdraws the waiting requests of a flag. */
  withdrawAll(projectId: string, key: string, note: string): Promise<void>;
  /** Removes all closed requests of a project but the newest. */
  prune(projectId: string, kept: number): Promise<void>;
  /** Returns the projects with waiting requests that `sub` made or approved without a token. */
  projectsOf(sub: string): Promise<string[]>;
  /** Withdraws the waiting requests that `sub` made without a token, and removes their approvals of others. */
  leave(sub: string, projectIds: readonly string[], note: string): Promise<void>;
}

export function createChangeRequestsStore(db: Db | Tx): ChangeRequestsStore {
  const { id, projectId, key, author, createdAt, expiresAt, closedAs, closedBy, isRead } = changeRequests;
  const waits = and(isNull(closedAs), gt(expiresAt, sql`now()`));
  const isClosed = or(isNotNull(closedAs), lte(expiresAt, sql`now()`));
  const unreadBy = (sub: string) =>
    and(
      eq(author, sub),
      eq(isRead, false),
      or(
        and(isNull(closedAs), lte(expiresAt, sql`now()`)),
        and(isNotNull(closedAs), sql`${closedBy} is distinct from ${sub}`),
      ),
    );
  const selects = (state: NonNullable<Selection['state']>, sub: string) =>
    ({ waiting: waits, closed: isClosed, current: or(waits, unreadBy(sub)) })[state];
  const close = ({ as, by, note }: Closing) => ({
    closedAs: as,
    closedAt: sql`clock_timestamp()`,
    closedBy: by,
    note,
  });
  /** Matches what a member did by role only. The permissions of a token or operator do not end with a membership. */
  const byRole = ({ tokenId, everywhere }: typeof changeRequests | typeof changeApprovals) =>
    and(isNull(tokenId), eq(everywhere, false));
  return {
    async add(row) {
      const [added] = await db.insert(changeRequests).values(row).returning();
      if (added === undefined) throw new Error('nothing was inserted');
      return added;
    },

    async find(project, request) {
      const [row] = await db
        .select()
        .from(changeRequests)
        .where(and(eq(projectId, project), eq(id, request)));
      return row;
    },

    list: (project, { key: flag, state, sub, after, limit }) =>
      db
        .select()
        .from(changeRequests)
        .where(
          and(
            eq(projectId, project),
            flag === undefined ? undefined : eq(key, flag),
            state && selects(state, sub),
            after && or(lt(createdAt, after.at), and(eq(createdAt, after.at), lt(id, after.id))),
          ),
        )
        .orderBy(desc(createdAt), desc(id))
        .limit(limit),

    waiting: (project) =>
      db
        .select()
        .from(changeRequests)
        .where(and(eq(projectId, project), waits)),

    countToDecide(project, sub) {
      const approved = db
        .select({ requestId: changeApprovals.requestId })
        .from(changeApprovals)
        .where(and(eq(changeApprovals.requestId, id), eq(changeApprovals.sub, sub)));
      return db.$count(
        changeRequests,
        and(
          eq(projectId, project),
          waits,
          or(isNull(author), ne(author, sub)),
          sql`not exists (${approved})`,
        ),
      );
    },

    countToRead: (project, sub) => db.$count(changeRequests, and(eq(projectId, project), unreadBy(sub))),

    async markRead(request) {
      await db.update(changeRequests).set({ isRead: true }).where(eq(id, request));
    },

    approvals: (requestIds) =>
      db
        .select()
        .from(changeApprovals)
        .where(inArray(changeApprovals.requestId, [...requestIds]))
        .orderBy(asc(changeApprovals.at), asc(changeApprovals.sub)),

    async approve(row) {
      const { tokenId, everywhere } = row;
      await db
        .insert(changeApprovals)
        .values({ ...row, at: sql`clock_timestamp()` })
        .onConflictDoUpdate({
          target: [changeApprovals.requestId, changeApprovals.sub],
          set: { tokenId, everywhere },
        });
    },

    async removeApprovals(requestId, subs) {
      await db
        .delete(changeApprovals)
        .where(and(eq(changeApprovals.requestId, requestId), inArray(changeApprovals.sub, [...subs])));
    },

    async close(ids, closing) {
      await db
        .update(changeRequests)
        .set(close(closing))
        .where(and(inArray(id, [...ids]), isNull(closedAs)));
    },

    async withdrawAll(project, flag, note) {
      await db
        .update(changeRequests)
        .set(close({ as: 'withdrawn', by: null, note }))
        .where(and(eq(projectId, project), eq(key, flag), waits));
    },

    async prune(project, kept) {
      const old = db
        .select({ id })
        .from(changeRequests)
        .where(and(eq(projectId, project), isClosed))
        .orderBy(desc(createdAt), desc(id))
        .offset(kept);
      await db.delete(changeRequests).where(inArray(id, old));
    },

    async projectsOf(sub) {
      const approved = db
        .select({ requestId: changeApprovals.requestId })
        .from(changeApprovals)
        .where(and(eq(changeApprovals.sub, sub), byRole(changeApprovals)));
      const rows = await db
        .selectDistinct({ projectId })
        .from(changeRequests)
        .where(and(waits, or(and(eq(author, sub), byRole(changeRequests)), inArray(id, approved))));
      return rows.map((row) => row.projectId);
    },

    async leave(sub, projectIds, note) {
      const isTheirs = and(inArray(projectId, [...projectIds]), waits);
      await db
        .update(changeRequests)
        .set(close({ as: 'withdrawn', by: null, note }))
        .where(and(isTheirs, eq(author, sub), byRole(changeRequests)));
      const others = db.select({ id }).from(changeRequests).where(isTheirs);
      await db
        .delete(changeApprovals)
        .where(
          and(
            eq(changeApprovals.sub, sub),
            byRole(changeApprovals),
            inArray(changeApprovals.requestId, others),
          ),
        );
    },
  };
}
