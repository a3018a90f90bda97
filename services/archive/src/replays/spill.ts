import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { StoredRecord } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';

/** Stores values of records in the object store while memory is short. */
export interface Spill {
  put(record: StoredRecord): Promise<void>;
  /** Returns the record with its value. */
  get(record: StoredRecord): Promise<StoredRecord>;
  /** Removes a value. If this fails, the next owner of the partition removes it. */
  remove(record: StoredRecord): Promise<void>;
  /** Removes values of earlier owners of the partition. Records that are still needed are read from the log again. */
  clear(): Promise<void>;
}

export function createSpill(objects: ObjectStore, partition: number): Spill {
  const folder = `replays-incomplete/${partition}/`;
  // A previous owner of the partition must not remove values of the next one.
  const owner = randomUUID();
  const keyOf = ({ offset, timestamp }: StoredRecord) => `${folder}${owner}/${offset}-${timestamp}`;

  return {
    async put(record) {
      if (record.value !== null) await objects.put(keyOf(record), record.value);
    },
    async get(record) {
      const object = await objects.get(keyOf(record));
      if (object === undefined) throw new Error(`object not found: ${keyOf(record)}`);
      return { ...record, value: await buffer(object.body) };
    },
    async remove(record) {
      await objects.delete(keyOf(record)).catch(() => undefined);
    },
    async clear() {
      for await (const { key } of objects.list(folder)) await objects.delete(key);
    },
  };
}
