import type { DirectoryRecord } from '@switchboard/directory';
import { sql } from 'drizzle-orm';
import type { Db, Tx } from '../db.ts';
import { outbox } from '../schema.ts';

/** Wakes the relay of every instance. */
export const outboxChannel = 'catalogue_outbox';

/** Says within a transaction which records its change makes; they are stored with it or not at all. */
export type Announce = (records: readonly DirectoryRecord[]) => void;

export interface Outbox {
  /**
   * Runs one change. A change must touch the rows it announces before it ends, so that two changes of one
   * entry follow each other and their records get ids in the order of the commits.
   */
  change<T>(rule: (tx: Tx, announce: Announce) => Promise<T>): Promise<T>;
}

const rowsAtOnce = 5_000;

export function createOutbox(db: Db): Outbox {
  return {
    change: (rule) =>
      db.transaction(async (tx) => {
        const records: DirectoryRecord[] = [];
        const result = await rule(tx, (more) => {
          for (const record of more) records.push(record);
        });
        for (let start = 0; start < records.length; start += rowsAtOnce) {
          await tx.insert(outbox).values(records.slice(start, start + rowsAtOnce));
        }
        if (records.length > 0) await tx.execute(sql`select pg_notify(${outboxChannel}, '')`);
        return result;
      }),
  };
}
