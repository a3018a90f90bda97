import type { Db } from '@switchboard/database';
import { and, desc, eq, gt, ne } from 'drizzle-orm';
import { sessions } from '../schema/index.ts';

export type SessionRow = typeof sessions.$inferSelect;

export interface SessionsStore {
  insert(row: SessionRow): Promise<void>;
  find(hash: string, now: Date): Promise<SessionRow | undefined>;
  /** Returns the sessions of an account, the newest first. */
  list(accountId: string, now: Date): Promise<SessionRow[]>;
  remove(hash: string): Promise<void>;
  /** Removes a session of an account by its id. */
  removeById(accountId: string, id: string): Promise<void>;
  removeAll(accountId: string): Promise<void>;
  /** Removes the sessions of an account, except one. */
  removeOthers(accountId: string, id: string): Promise<void>;
}

const MAX_LISTED = 100;

export function createSessionsStore(db: Db): SessionsStore {
  return {
    async insert(row) {
      await db.insert(sessions).values(row);
    },

    async find(hash, now) {
      const [row] = await db
        .select()
        .from(sessions)
        .where(and(eq(sessions.hash, hash), gt(sessions.expiresAt, now)));
      return row;
    },

    list: (accountId, now) =>
      db
        .select()
        .from(sessions)
        .where(and(eq(sessions.accountId, accountId), gt(sessions.expiresAt, now)))
        .orderBy(desc(sessions.createdAt))
        .limit(MAX_LISTED),

    async remove(hash) {
      await db.delete(sessions).where(eq(sessions.hash, hash));
    },

    async removeById(accountId, id) {
      await db.delete(sessions).where(and(eq(sessions.accountId, accountId), eq(sessions.id, id)));
    },

    async removeOthers(accountId, id) {
      await db.delete(sessions).where(and(eq(sessions.accountId, accountId), ne(sessions.id, id)));
    },

    async removeAll(accountId) {
      await db.delete(sessions).where(eq(sessions.accountId, accountId));
    },
  };
}
