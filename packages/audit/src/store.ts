import type { Db, Tx } from '@switchboard/database';
import { asc, inArray, sql } from 'drizzle-orm';
import { outbox } from './schema.ts';

/** Held by the one process that publishes; any number that nothing else in a service's database uses. */
const RELAY_LOCK = 6_318_204_517;

export interface OutboxStore {
  /** The oldest entries, in their order. */
  oldest(limit: number): Promise<{ id: bigint; entry: string }[]>;
  remove(ids: bigint[]): Promise<void>;
  /** Age in seconds of the oldest entry; 0 when there is none. */
  lagSeconds(): Promise<number>;
  /** Takes the lock of the relay until the transaction ends; false when another process has it. */
  lockRelay(): Promise<boolean>;
}

/** Adds an entry, as JSON, to the outbox: with the transaction, or not at all. */
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
