import type { Tx } from '@switchboard/database';
import type { LateEntry } from '@switchboard/directory';
import type { Outbox } from '../outbox/outbox.ts';
import { createOutboxStore } from '../outbox/store.ts';
import { createRepublicationStore } from './store.ts';

/**
 * Adds every entry of the directory to the outbox and returns how many. An entry with a record in the outbox is left
 * out: its last record there already carries its current state.
 */
export async function enqueueAllEntries(tx: Tx): Promise<number> {
  const outbox = createOutboxStore(tx);
  // Locked before the outbox is read, so that no entry changes in between.
  const entries = await createRepublicationStore(tx).lockAndReadAll();
  const waiting = await outbox.keys();
  const missing = entries.filter(({ key }) => !waiting.has(key));
  await outbox.append(missing);
  return missing.length;
}

/**
 * Publishes each of these entries as it is now: a tombstone if it is gone. Also one with a record in the outbox, which
 * may be on the topic already, before the late one.
 */
export async function republish(outbox: Outbox, late: readonly LateEntry[]): Promise<void> {
  for (const [kind, ofKind] of Map.groupBy(late, (entry) => entry.kind)) {
    await outbox.change(async (tx, announce) => {
      const store = createRepublicationStore(tx);
      const found = await store.lockAndRead(
        kind,
        ofKind.map(({ identifiers }) => identifiers),
      );
      const records = new Map(found.map((record) => [record.key, record]));
      announce(ofKind.map(({ key }) => records.get(key) ?? { key, value: null }));
    });
  }
}
