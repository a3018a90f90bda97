import type { Db, Tx } from '@switchboard/database';
import { type OutboxSource, oldestAgeSeconds, removeRows } from '@switchboard/outbox';
import { asc } from 'drizzle-orm';
import { outbox } from './schema.ts';

export interface WaitingEntry {
  id: bigint;
  /** JSON. */
  entry: string;
}

/** Adds a JSON entry to the outbox. With a transaction, the entry is stored only if the transaction commits. */
export async function appendEntry(db: Db | Tx, entry: string): Promise<void> {
  await db.insert(outbox).values({ entry });
}

/** Returns the age of the oldest entry in seconds, or 0 if the outbox is empty. */
export const auditLagSeconds = (db: Db): Promise<number> => oldestAgeSeconds(db, outbox);

export function createAuditSource(db: Db | Tx): OutboxSource<WaitingEntry> {
  return {
    oldest: (limit) =>
      db.select({ id: outbox.id, entry: outbox.entry }).from(outbox).orderBy(asc(outbox.id)).limit(limit),
    markPublished: (entries) =>
      removeRows(
        db,
        outbox,
        entries.map(({ id }) => id),
      ),
  };
}
