import type { Db, Tx } from '@switchboard/database';
import { asc, count, eq, lte, sql } from 'drizzle-orm';
import { mails } from '../schema/index.ts';

export type MailRow = typeof mails.$inferSelect;

export interface MailsStore {
  insert(row: Pick<MailRow, 'id' | 'content' | 'dueAt'>): Promise<void>;
  isDue(now: Date): Promise<boolean>;
  /** Returns mails that are due, the oldest first, and locks them until the transaction ends. */
  takeDue(now: Date, limit: number): Promise<MailRow[]>;
  remove(id: string): Promise<void>;
  count(): Promise<number>;
  retryAt(id: string, dueAt: Date): Promise<void>;
}

export function createMailsStore(db: Db | Tx): MailsStore {
  return {
    async insert(row) {
      await db.insert(mails).values(row);
    },

    async isDue(now) {
      const { id, dueAt } = mails;
      return (await db.select({ id }).from(mails).where(lte(dueAt, now)).limit(1)).length > 0;
    },

    takeDue: (now, limit) =>
      db
        .select()
        .from(mails)
        .where(lte(mails.dueAt, now))
        .orderBy(asc(mails.dueAt))
        .limit(limit)
        .for('update', { skipLocked: true }),

    async remove(id) {
      await db.delete(mails).where(eq(mails.id, id));
    },

    async count() {
      const [row] = await db.select({ mails: count() }).from(mails);
      return row?.mails ?? 0;
    },

    async retryAt(id, dueAt) {
      await db
        .update(mails)
        .set({ dueAt, attempts: sql`${mails.attempts} + 1` })
        .where(eq(mails.id, id));
    },
  };
}
