import type { Db, Tx } from '@switchboard/database';
import type { DirectoryRecord } from '@switchboard/directory';
import { createOutboxStore } from './store.ts';

/** Adds the records that a change makes; they are stored with the change or not at all. */
export type Announce = (records: readonly DirectoryRecord[]) => void;

export interface Outbox {
  /**
   * Runs one change in a transaction. A change must lock the rows it announces before it ends: then two changes of
   * one entry follow each other, and their records get ids in commit order.
   */
  change<T>(rule: (tx: Tx, announce: Announce) => Promise<T>): Promise<T>;
}

export function createOutbox(db: Db): Outbox {
  return {
    change: (rule) =>
      db.transaction(async (tx) => {
        const records: DirectoryRecord[] = [];
        const result = await rule(tx, (more) => {
          for (const record of more) records.push(record);
        });
        await createOutboxStore(tx).append(records);
        return result;
      }),
  };
}
