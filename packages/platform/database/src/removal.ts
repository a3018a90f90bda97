import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Db, Tx } from './database.ts';

/** The amounts that one batch removed; zero if nothing is left to remove. */
export interface Removed {
  rows: number;
  /** The number of objects removed from the object store. */
  objects?: number;
}

/** Data that is removed at an age of a number of days. */
export interface ExpiringData {
  /** The `kind` label of the metrics. */
  kind: string;
  /** The maximum age; undefined keeps the data forever. */
  days: number | undefined;
  /** Removes a batch of data from before this time. May be repeated, and run by two processes at once. */
  removeBefore(time: Date): Promise<Removed>;
  /** Returns the time of the oldest data that is kept; undefined if there is none. */
  oldest(): Promise<Date | undefined>;
}

interface Some {
  where: SQL;
  limit: number;
  /** The column of the index to follow. */
  orderBy?: SQLWrapper;
  /** Leaves rows that another transaction has locked for the next time. */
  skipsLocked?: boolean;
}

/** Removes up to `limit` rows of a table. Returns how many. */
export async function removeSome(
  db: Db | Tx,
  table: PgTable,
  { where, limit, orderBy, skipsLocked = false }: Some,
): Promise<number> {
  const order = orderBy === undefined ? sql`` : sql`order by ${orderBy}`;
  const lock = skipsLocked ? sql`for update skip locked` : sql``;
  const { count } = await db.execute(sql`
    delete from ${table} where ctid = any(array(
      select ctid from ${table} where ${where} ${order} limit ${limit} ${lock}))`);
  return count;
}

const ROWS_AT_ONCE = 10_000;

/** Removes rows of a table, 10,000 in a transaction. May be repeated if the signal aborts in between. */
export async function removeAll(db: Db, table: PgTable, where: SQL, signal?: AbortSignal): Promise<void> {
  for (let removed = 1; removed > 0; ) {
    signal?.throwIfAborted();
    removed = await removeSome(db, table, { where, limit: ROWS_AT_ONCE });
  }
}
