import type { Item } from './item.ts';
import { openFolder } from './queue-files.ts';

export interface Queue {
  /** Resolves to whether the item is queued: false if the queue is full. */
  add(item: Item): Promise<boolean>;
  /** Returns the oldest items, up to a batch of one kind: one call, or up to 500 events and 1 MB. */
  next(): Item[];
  /** Removes items that were sent or dropped. */
  remove(items: readonly Item[]): Promise<void>;
  count(): number;
  close(): Promise<void>;
}

interface QueueOptions {
  folder: string | false;
  maxBytes: number;
  /** Called if the folder cannot be used. The queue is then in memory. */
  onStorageError(error: unknown): void;
}

const MAX_BATCH_COUNT = 500;
const MAX_BATCH_BYTES = 1_000_000;
/** The memory that an item takes besides its body. */
const ITEM_BYTES = 200;

/**
 * Opens a queue in memory with a copy in the folder: each item is written to the file before `add` resolves. Items
 * that an ended process left in the folder come first.
 */
export async function openQueue({ folder, maxBytes, onStorageError }: QueueOptions): Promise<Queue> {
  const items = new Map<string, Item>();
  let bytes = 0;
  const sizeOf = ({ body }: Item) => Buffer.byteLength(body) + ITEM_BYTES;
  const keep = (item: Item) => {
    if (items.has(item.id)) return;
    items.set(item.id, item);
    bytes += sizeOf(item);
  };
  const files =
    folder === false ? undefined : await openFolder({ folder, maxBytes, onError: onStorageError });
  for (const item of files?.found ?? []) keep(item);

  return {
    async add(item) {
      if (bytes + sizeOf(item) > maxBytes) return false;
      keep(item);
      await files?.add(item);
      return true;
    },
    next() {
      const batch: Item[] = [];
      let batchBytes = 0;
      for (const item of items.values()) {
        const [first] = batch;
        if (first !== undefined && (first.kind !== 'event' || item.kind !== 'event')) break;
        batchBytes += item.body.length;
        if (first !== undefined && (batch.length >= MAX_BATCH_COUNT || batchBytes > MAX_BATCH_BYTES)) break;
        batch.push(item);
      }
      return batch;
    },
    async remove(removed) {
      for (const item of removed) if (items.delete(item.id)) bytes -= sizeOf(item);
      await files?.remove(removed, () => [...items.values()]);
    },
    count: () => items.size,
    close: async () => files?.close(items.size === 0),
  };
}
