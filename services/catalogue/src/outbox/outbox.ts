import type { Db, Transactor, Tx } from '@switchboard/database';
import type { DirectoryRecord } from '@switchboard/directory';
import { coalesce, pause } from '@switchboard/resilience';
import { createOutboxStore } from './store.ts';

/** Adds records to the outbox in the transaction of a change. */
export type Announce = (records: readonly DirectoryRecord[]) => void;

export interface Outbox {
  /**
   * Runs one change in a transaction of `within` and resolves when its records are published, so that every service can read
   * the change once it is acknowledged. While the event log is unavailable, the records stay in the outbox.
   *
   * A change must lock the rows that it announces before it ends. Two changes to one entry are then serialised,
   * and their records get ids in commit order.
   */
  change<T>(within: Transactor, rule: (tx: Tx, announce: Announce) => Promise<T>): Promise<T>;
}

interface OutboxOptions {
  /** The longest time to wait for the records of a change to be published. Default 2 s. */
  maxWaitMs?: number;
}

const FIRST_POLL_MS = 5;
const MAX_POLL_MS = 100;

export function createOutbox(db: Db, { maxWaitMs = 2_000 }: OutboxOptions = {}): Outbox {
  const store = createOutboxStore(db);
  const isWaiting = coalesce<bigint, boolean>(async (ids) => {
    const remaining = await store.remaining(ids);
    return ids.map((id) => remaining.has(id));
  });

  /**
   * Waits at most `maxWaitMs` for the record to be published. The relay publishes in id order, so the earlier
   * records of the change are then published too.
   */
  async function published(id: bigint): Promise<void> {
    const deadline = performance.now() + maxWaitMs;
    for (let ms = FIRST_POLL_MS; performance.now() < deadline; ms = Math.min(MAX_POLL_MS, ms * 2)) {
      await pause(ms);
      if (!(await isWaiting(id))) return;
      // Older records have waited at least as long, so the log is unavailable. Waiting longer does not help.
      if ((await store.lagSeconds()) * 1_000 > maxWaitMs) return;
    }
  }

  return {
    async change(within, rule) {
      const { result, last } = await within.transaction(async (tx) => {
        const records: DirectoryRecord[] = [];
        const made = await rule(tx, (more) => {
          for (const record of more) records.push(record);
        });
        return { result: made, last: await createOutboxStore(tx).append(records) };
      });
      // The change is committed, so failing to observe its publication must not fail it.
      if (last !== undefined) await published(last).catch(() => undefined);
      return result;
    },
  };
}
