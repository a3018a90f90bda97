import type { Tx } from '@switchboard/database';
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
