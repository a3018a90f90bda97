import type { RecordBatch, StoredRecord } from '@switchboard/event-log';
import type { Threads } from '../threads/threads.ts';
import { putDeadLetters } from './dead-letters.ts';
import { deduplicate } from './deduplication.ts';
import type { SegmentRecord } from './encode-segment.ts';
import type { EventsStore } from './store.ts';

/** What a record adds to the archive. */
export interface Entry extends SegmentRecord {
  offset: bigint;
  /** Log timestamp in milliseconds. */
  timestamp: number;
  bytes: number;
  /** How many are archived. */
  events: number;
  duplicates: number;
}

export type Intake = (
  batch: Pick<RecordBatch, 'deadLetter'>,
  records: readonly StoredRecord[],
) => Promise<Entry[]>;

interface IntakeOptions {
  store: EventsStore;
  threads: Pick<Threads, 'use'>;
  onDeadLetters(count: number): void;
}

/**
 * Decodes records of one partition and stores the place of each event: from then on the event counts as accepted.
 * The same records give the same entries again.
 */
export function createIntake({ store, threads, onDeadLetters }: IntakeOptions): Intake {
  return async (batch, records) => {
    const last = records.at(-1);
    if (last === undefined) return [];
    const copies = copiesOf(records);
    const decoded = await threads.use((thread) => thread.decode(copies));
    const taken = copies.map((record, index) => {
      const { keys = [], lines = [], undecodable = [], receivedAt = 0 } = decoded[index] ?? {};
      const { partition, offset } = record;
      const events = keys.map((key, i) => ({
        key,
        partition,
        offset,
        line: lines[i] ?? 0,
        acceptedAt: receivedAt,
      }));
      return { record, events, undecodable };
    });
    const events = taken.flatMap((one) => one.events);
    const firsts = await deduplicate(store, events);
    const undecodable = taken.flatMap((one) =>
      one.undecodable.map((line) => ({ ...line, record: one.record })),
    );
    onDeadLetters(await putDeadLetters(store, batch, undecodable));
    await store.saveProgress({
      partition: last.partition,
      nextOffset: last.offset + 1n,
      recordedAt: last.timestamp,
      acceptedAt: events.at(-1)?.acceptedAt ?? last.timestamp,
    });
    return taken.map(({ record, events: all, undecodable: others }) => {
      const duplicates = all.filter((event) => !firsts.has(event));
      return {
        record,
        without: [...others, ...duplicates].map(({ line }) => line),
        offset: record.offset,
        timestamp: record.timestamp,
        bytes: record.value?.length ?? 0,
        events: all.length - duplicates.length,
        duplicates: duplicates.length,
      };
    });
  };
}

/** Records whose values share one buffer of their own: they are held, and sent to threads, without what was read beside them. */
function copiesOf(records: readonly StoredRecord[]): StoredRecord[] {
  const bytes = Buffer.allocUnsafeSlow(records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
  let end = 0;
  return records.map((record) => {
    if (record.value === null) return record;
    const start = end;
    end += record.value.copy(bytes, start);
    return { ...record, value: bytes.subarray(start, end) };
  });
}
