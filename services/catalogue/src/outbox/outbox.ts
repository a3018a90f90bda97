import type { Db, Tx } from '@switchboard/database';
import type { DirectoryRecord } from '@switchboard/directory';
import { coalesce, pause } from '@switchboard/resilience';
import { createOutboxStore } from './store.ts';

/** Adds the records that a change makes; they are stored with the change or not at all. */
export type Announce = (records: readonly DirectoryRecord[]) => void;

export interface Outbox {
  /**
   * Runs one change in a transaction, and resolves when its records are published: what was answered is on the topic
   * for every service to find. While the event log is unavailable, the records wait in the outbox instead.
   *
   * A change must lock the rows it announces before it ends: then two changes of one entry follow each other, and
   * their records get ids in commit order.
   */
  change<T>(rule: (tx: Tx, announce: Announce) => Promise<T>): Promise<T>;
}

interface OutboxOptions {
  /** Longest wait for the records of a change to be published. Default 2 s. */
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

  /** The relay publishes in the order of ids: when the last record of a change is gone, all of them are. */
  async function published(id: bigint): Promise<void> {
    const deadline = performance.now() + maxWaitMs;
    for (let ms = FIRST_POLL_MS; performance.now() < deadline; ms = Math.min(MAX_POLL_MS, ms * 2)) {
      await pause(ms);
      if (!(await isWaiting(id))) return;
      // Older records wait for as long: the log is unavailable, and waiting for it helps nobody.
      if ((await store.lagSeconds()) * 1_000 > maxWaitMs) return;
    }
  }

  return {
    async change(rule) {
      const { result, last } = await db.transaction(async (tx) => {
        const records: DirectoryRecord[] = [];
        const made = await rule(tx, (more) => {
          for (const record of more) records.push(record);
        });
        return { result: made, last: await createOutboxStore(tx).append(records) };
      });
      // The change is made: a failure to see it published is none of its own.
      if (last !== undefined) await published(last).catch(() => undefined);
      return result;
    },
  };
}
