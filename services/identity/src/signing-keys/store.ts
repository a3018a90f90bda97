import type { Db } from '@switchboard/database';
import { asc, inArray, sql } from 'drizzle-orm';
import { signingKeys } from '../schema/index.ts';

export type SigningKeyRow = typeof signingKeys.$inferSelect;

export interface SigningKeysStore {
  /** Returns all keys, the oldest first. */
  list(): Promise<SigningKeyRow[]>;
  /** Adds the key that `create` returns for the existing ones, if any. One process at a time. */
  add(create: (existing: SigningKeyRow[]) => Promise<SigningKeyRow | undefined>): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
}

export function createSigningKeysStore(db: Db): SigningKeysStore {
  const list = (on: Pick<Db, 'select'> = db) =>
    on.select().from(signingKeys).orderBy(asc(signingKeys.createdAt), asc(signingKeys.id)).limit(100);
  return {
    list: () => list(),

    async add(create) {
      await db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('signing keys', 0))`);
        const row = await create(await list(tx));
        if (row !== undefined) await tx.insert(signingKeys).values(row);
      });
    },

    async remove(ids) {
      if (ids.length === 0) return;
      await db.delete(signingKeys).where(inArray(signingKeys.id, [...ids]));
    },
  };
}
