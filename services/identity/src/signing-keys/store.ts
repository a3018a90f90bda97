import type { Db, Tx } from '@switchboard/database';
import { asc, inArray, sql } from 'drizzle-orm';
import { signingKeys } from '../schema/index.ts';

export type SigningKeyRow = typeof signingKeys.$inferSelect;

export interface SigningKeysStore {
  /** Runs one change of the keys at a time, in a transaction. */
  change<T>(work: (store: SigningKeysStore) => Promise<T>): Promise<T>;
  /** Returns all keys, the oldest first. */
  list(): Promise<SigningKeyRow[]>;
  insert(row: SigningKeyRow): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export function createSigningKeysStore(db: Db | Tx): SigningKeysStore {
  return {
    change: (work) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('signing keys', 0))`);
        return work(createSigningKeysStore(tx));
      }),

    list: () =>
      db.select().from(signingKeys).orderBy(asc(signingKeys.createdAt), asc(signingKeys.id)).limit(100),

    async insert(row) {
      await db.insert(signingKeys).values(row);
    },

    async remove(ids) {
      if (ids.length === 0) return;
      await db.delete(signingKeys).where(inArray(signingKeys.id, [...ids]));
    },
  };
}
