import type { Db, Tx } from '@switchboard/database';
import { asc, inArray, sql } from 'drizzle-orm';
import { outbox } from './schema.ts';

/**
 * The advisory lock of the process that publishes. Any number works that nothing else in a service's database uses.
 */
const RELAY_LOCK = 6_318_204_517;

export interface OutboxStore {
  /** Returns the oldest entries in order. */
  oldest(limit: number): Promise<{ id: bigint; entry: string }[]>;
  remove(ids: bigint[]): Promise<void>;
  /** Returns the age of the oldest entry in seconds, or 0 if the outbox is empty. */
  lagSeconds(): Promise<number>;
  /** Acquires the relay lock until the transaction ends. Returns false if another process holds it. */
  lockRelay(): Promise<boolean>;
}

/** Adds a JSON entry to the outbox. With a transaction, the entry is stored only if the transaction commits. */
export async function appendEntry(db: Db | Tx, entry: string): Promise<void> {
  await db.insert(outbox).values({ entry });
}

export function createOutboxStore(db: Db | Tx): OutboxStore {
  return {
    oldest: (limit) =>
      db.select({ id: outbox.id, entry: outbox.entry }).from(outbox).orderBy(asc(outbox.id)).limit(limit),

    async remove(ids) {
      await db.delete(outbox).where(inArray(outbox.id, ids));
    },

    async lagSeconds() {
      const [row] = await db
        .select({ seconds: sql<string>`extract(epoch from now() - ${outbox.createdAt})` })
        .from(outbox)
        .orderBy(asc(outbox.id))
        .limit(1);
      return Math.max(0, Number(row?.seconds ?? 0));
    },

    async lockRelay() {
      const [row] = await db.execute(sql`select pg_try_advisory_xact_lock(${RELAY_LOCK}) as taken`);
      return row?.['taken'] === true;
    },
  };
}
