import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { tickets } from '../schema/index.ts';

export type TicketRow = typeof tickets.$inferSelect;

export interface TicketsStore {
  insert(row: TicketRow): Promise<void>;
  find(hash: string, kind: string, now: Date): Promise<TicketRow | undefined>;
  /** Removes a ticket that has not expired and returns it. Of two callers, one gets it. */
  take(hash: string, kind: string, now: Date): Promise<TicketRow | undefined>;
  /** Removes the tickets of a kind that an account has. */
  removeAll(kind: string, accountId: string): Promise<void>;
  /** Returns the tickets of a kind that an account has, at most 100. */
  list(kind: string, accountId: string, now: Date): Promise<TicketRow[]>;
  /** Returns the invitations to a company, at most 100. */
  listInvitations(companyId: string, now: Date): Promise<TicketRow[]>;
  hasKind(kind: string, now: Date): Promise<boolean>;
}

const MAX_LISTED = 100;

export function createTicketsStore(db: Db | Tx): TicketsStore {
  const valid = (hash: string, kind: string, now: Date) =>
    and(eq(tickets.hash, hash), eq(tickets.kind, kind), gt(tickets.expiresAt, now));
  return {
    async insert(row) {
      await db.insert(tickets).values(row);
    },

    async find(hash, kind, now) {
      const [row] = await db
        .select()
        .from(tickets)
        .where(valid(hash, kind, now));
      return row;
    },

    async take(hash, kind, now) {
      const [row] = await db
        .delete(tickets)
        .where(valid(hash, kind, now))
        .returning();
      return row;
    },

    async removeAll(kind, accountId) {
      await db.delete(tickets).where(and(eq(tickets.accountId, accountId), eq(tickets.kind, kind)));
    },

    list: (kind, accountId, now) =>
      db
        .select()
        .from(tickets)
        .where(and(eq(tickets.accountId, accountId), eq(tickets.kind, kind), gt(tickets.expiresAt, now)))
        .orderBy(asc(tickets.expiresAt))
        .limit(MAX_LISTED),

    listInvitations: (companyId, now) =>
      db
        .select()
        .from(tickets)
        .where(
          and(
            sql`${tickets.data} ->> 'companyId' = ${companyId}`,
            eq(tickets.kind, sql.raw("'invitation'")),
            gt(tickets.expiresAt, now),
          ),
        )
        .orderBy(asc(tickets.expiresAt))
        .limit(MAX_LISTED),

    async hasKind(kind, now) {
      const found = await db
        .select({ hash: tickets.hash })
        .from(tickets)
        .where(and(eq(tickets.kind, kind), gt(tickets.expiresAt, now)))
        .limit(1);
      return found.length > 0;
    },
  };
}
