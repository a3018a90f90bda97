import type { StoredRecord } from '@switchboard/event-log';
import { LRUCache } from 'lru-cache';

/** The limits of a project. */
const MAX_RECORDS = 50;
const MAX_PROJECT_BYTES = 262_144;
/** The limit of all projects together. Those without new records go first. */
const MAX_BYTES = 16_777_216;
/** The memory of a record besides its value. */
const RECORD_BYTES = 500;

interface Kept {
  records: readonly StoredRecord[];
  bytes: number;
}

/** The latest records of each project, in order, within limits of memory. */
export interface RecentRecords {
  /** Keeps the last of these records. */
  keep(projectId: string, records: readonly StoredRecord[]): void;
  of(projectId: string): readonly StoredRecord[];
  clear(): void;
  hasAny(): boolean;
  /** Removes the records of which `isOld` is true, such as those that are archived. */
  drop(isOld: (record: StoredRecord) => boolean): void;
}

export function createRecentRecords(): RecentRecords {
  const byProject = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ bytes }) => bytes,
  });
  return {
    keep(projectId, taken) {
      const before = byProject.peek(projectId)?.records ?? [];
      const fitting = taken.filter((record) => sizeOf(record) <= MAX_PROJECT_BYTES);
      const last = [...before, ...fitting].slice(-MAX_RECORDS);
      let bytes = bytesOf(last);
      while (bytes > MAX_PROJECT_BYTES) bytes -= sizeOf(last.shift());
      const arrived = new Set(taken);
      const records = last.map((record) => (arrived.has(record) ? copyOf(record) : record));
      if (records.length > 0) byProject.set(projectId, { records, bytes });
    },
    of: (projectId) => byProject.get(projectId)?.records ?? [],
    clear: () => byProject.clear(),
    hasAny: () => byProject.size > 0,
    drop(isOld) {
      for (const [projectId, { records }] of [...byProject.entries()]) {
        const left = records.filter((record) => !isOld(record));
        if (left.length === records.length) continue;
        if (left.length === 0) byProject.delete(projectId);
        else byProject.set(projectId, { records: left, bytes: bytesOf(left) });
      }
    },
  };
}

/** The value may be a part of all the bytes that were read at once. */
const copyOf = (record: StoredRecord) => ({ ...record, value: record.value && Buffer.from(record.value) });
const bytesOf = (records: readonly StoredRecord[]) => records.reduce((sum, one) => sum + sizeOf(one), 0);
const sizeOf = (record: StoredRecord | undefined) => RECORD_BYTES + (record?.value?.length ?? 0);
