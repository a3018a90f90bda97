import type { Db, Tx } from '@switchboard/database';
import type { DirectoryRecord } from '@switchboard/directory';
import { asc, inArray, sql } from 'drizzle-orm';
import { outbox, publishedOffsets } from '../schema/index.ts';

/** The notification channel that wakes the relay of every instance. */
export const OUTBOX_CHANNEL = 'catalogue_outbox';

/** The advisory lock of the publishing instance. An arbitrary number that nothing else in this database uses. */
const RELAY_LOCK = 4_107_526_643;
const MAX_ROWS_PER_INSERT = 5_000;

export interface OutboxRow extends DirectoryRecord {
  /** Increases with each record. */
  id: bigint;
}

/** Offsets by partition. */
export type PublishedOffsets = ReadonlyMap<number, bigint>;

export interface OutboxStore {
  /** Adds records, and wakes the relays when the transaction commits. Resolves with the id of the last record. */
  append(records: readonly DirectoryRecord[]): Promise<bigint | undefined>;
  /** Returns the oldest records in order. */
  oldest(limit: number): Promise<OutboxRow[]>;
  remove(ids: bigint[]): Promise<void>;
  /** Returns the ids in `ids` that are still in the outbox. */
  remaining(ids: readonly bigint[]): Promise<Set<bigint>>;
  /** Returns the keys of all records in the outbox. */
  keys(): Promise<Set<string>>;
  /** Returns the age in seconds of the oldest record, or 0 if there is none. */
  lagSeconds(): Promise<number>;
  /**
   * Returns the offset after the last published record for each partition of the topic. Empty before the first
   * record.
   */
  publishedOffsets(): Promise<PublishedOffsets>;
  /** Replaces the offsets of the given partitions. */
  setPublishedOffsets(offsets: PublishedOffsets): Promise<void>;
  /** Takes the relay lock until the transaction ends. Returns false when another instance holds it. */
  lockRelay(): Promise<boolean>;
}

export function createOutboxStore(db: Db | Tx): OutboxStore {
  return {
    async append(records) {
      let last: bigint | undefined;
      for (let start = 0; start < records.length; start += MAX_ROWS_PER_INSERT) {
        const rows = records.slice(start, start + MAX_ROWS_PER_INSERT);
        const added = await db.insert(outbox).values(rows).returning({ id: outbox.id });
        last = added.at(-1)?.id;
      }
      if (records.length > 0) await db.execute(sql`select pg_notify(${OUTBOX_CHANNEL}, '')`);
      return last;
    },

    async oldest(limit) {
      return db.select().from(outbox).orderBy(asc(outbox.id)).limit(limit);
    },

    async remove(ids) {
      await db.delete(outbox).where(inArray(outbox.id, ids));
    },

    async remaining(ids) {
      const rows = await db
        .select({ id: outbox.id })
        .from(outbox)
        .where(inArray(outbox.id, [...ids]));
      return new Set(rows.map(({ id }) => id));
    },

    async keys() {
      const rows = await db.selectDistinct({ key: outbox.key }).from(outbox);
      return new Set(rows.map(({ key }) => key));
    },

    async lagSeconds() {
      const [row] = await db
        .select({ seconds: sql<string>`extract(epoch from now() - ${outbox.createdAt})` })
        .from(outbox)
        .orderBy(asc(outbox.id))
        .limit(1);
      return Math.max(0, Number(row?.seconds ?? 0));
    },

    async publishedOffsets() {
      const rows = await db.select().from(publishedOffsets);
      return new Map(rows.map(({ partition, nextOffset }) => [partition, nextOffset]));
    },

    async setPublishedOffsets(offsets) {
      if (offsets.size === 0) return;
      await db
        .insert(publishedOffsets)
        .values([...offsets].map(([partition, nextOffset]) => ({ partition, nextOffset })))
        .onConflictDoUpdate({
          target: publishedOffsets.partition,
          set: { nextOffset: sql`excluded.next_offset` },
        });
    },

    async lockRelay() {
      const [row] = await db.execute(sql`select pg_try_advisory_xact_lock(${RELAY_LOCK}) as taken`);
      return row?.['taken'] === true;
    },
  };
}
