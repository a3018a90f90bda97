import type { Db, Tx } from '@switchboard/database';
import type { LateEntry } from '@switchboard/directory';
import { createRecordsStore } from '../records/store.ts';
import type { Outbox } from './outbox.ts';
import { createOutboxStore } from './store.ts';

/**
 * Adds every directory entry to the outbox and returns the number added. Skips entries that have a record in the
 * outbox, because their last record there already has their current state.
 */
export async function enqueueAllEntries(tx: Tx): Promise<number> {
  const outbox = createOutboxStore(tx);
  // Locked before the outbox is read, so that no entry changes between the two.
  const entries = await createRecordsStore(tx).lockAndReadAll();
  const waiting = await outbox.keys();
  const missing = entries.filter(({ key }) => !waiting.has(key));
  await outbox.append(missing);
  return missing.length;
}

/**
 * Publishes the current state of each entry, or a tombstone if it no longer exists. Includes entries with a
 * record in the outbox, because that record may already be on the topic, before the late one.
 */
export async function republish(db: Db, outbox: Outbox, late: readonly LateEntry[]): Promise<void> {
  for (const [kind, ofKind] of Map.groupBy(late, (entry) => entry.kind)) {
    await outbox.change(db, async (tx, announce) => {
      const store = createRecordsStore(tx);
      const found = await store.lockAndRead(
        kind,
        ofKind.map(({ identifiers }) => identifiers),
      );
      const records = new Map(found.map((record) => [record.key, record]));
      announce(ofKind.map(({ key }) => records.get(key) ?? { key, value: null }));
    });
  }
}
