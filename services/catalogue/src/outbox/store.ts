import type { Db, Tx } from '@switchboard/database';
import type { DirectoryRecord } from '@switchboard/directory';
import { type OutboxSource, oldestAgeSeconds, removeRows } from '@switchboard/outbox';
import { asc, inArray, sql } from 'drizzle-orm';
import { outbox, publishedOffsets } from '../schema/index.ts';

/** The notification channel that wakes the relay of every instance. */
export const OUTBOX_CHANNEL = 'catalogue_outbox';

const MAX_ROWS_PER_INSERT = 5_000;

export interface OutboxRow extends DirectoryRecord {
  /** Increases with each record. */
  id: bigint;
}

export interface OutboxStore {
  /** Adds records, and wakes the relays when the transaction commits. Resolves with the id of the last record. */
  append(records: readonly DirectoryRecord[]): Promise<bigint | undefined>;
  /** Returns the ids in `ids` that are still in the outbox. */
  remaining(ids: readonly bigint[]): Promise<Set<bigint>>;
  /** Returns the keys of all records in the outbox. */
  keys(): Promise<Set<string>>;
  /** Returns the age in seconds of the oldest record, or 0 if there is none. */
  lagSeconds(): Promise<number>;
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

    lagSeconds: () => oldestAgeSeconds(db, outbox),
  };
}

/** The source of the relay. */
export function createOutboxSource(tx: Db | Tx): OutboxSource<OutboxRow> {
  return {
    oldest: (limit) => tx.select().from(outbox).orderBy(asc(outbox.id)).limit(limit),
    markPublished: (rows) =>
      removeRows(
        tx,
        outbox,
        rows.map(({ id }) => id),
      ),
  };
}

/** The table of offsets of the relay. */
export const offsets = publishedOffsets;
