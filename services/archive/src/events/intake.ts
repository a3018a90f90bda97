import type { RecordBatch, StoredRecord } from '@switchboard/event-log';
import { moved } from '../threads/buffers.ts';
import type { Threads } from '../threads/threads.ts';
import { putDeadLetters } from './dead-letters.ts';
import type { RawRecord } from './decode.ts';
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
  count: number;
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
    const decoded = await threads.use((thread) => thread.decode(copiesOf(records)));
    const taken = records.map((record, index) => {
      const found = decoded[index];
      if (found === undefined) throw new Error('a record was not decoded');
      const { partition, offset, lines, receivedAt: acceptedAt } = found.events;
      const places = found.keys.map((key, i) => ({
        key,
        partition,
        offset,
        line: lines[i] ?? 0,
        acceptedAt,
      }));
      return { record, places, ...found };
    });
    const places = taken.flatMap((one) => one.places);
    const firsts = await deduplicate(store, places);
    const undecodable = taken.flatMap(({ record, undecodable }) =>
      undecodable.map((line) => ({ ...line, record })),
    );
    onDeadLetters(await putDeadLetters(store, batch, undecodable));
    await store.saveProgress({
      partition: last.partition,
      nextOffset: last.offset + 1n,
      recordedAt: last.timestamp,
      acceptedAt: places.at(-1)?.acceptedAt ?? last.timestamp,
    });
    return taken.map(({ record, places, events }) => {
      const duplicates = places.filter((place) => !firsts.has(place));
      return {
        events,
        without: duplicates.map(({ line }) => line),
        offset: record.offset,
        timestamp: record.timestamp,
        bytes: record.value?.length ?? 0,
        count: places.length - duplicates.length,
        duplicates: duplicates.length,
      };
    });
  };
}

/** Records whose values share one buffer, which a thread takes without what was read beside them. */
function copiesOf(records: readonly StoredRecord[]): RawRecord[] {
  const bytes = Buffer.allocUnsafeSlow(records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0));
  let end = 0;
  const copies = records.map((record) => {
    if (record.value === null) return record;
    const start = end;
    end += record.value.copy(bytes, start);
    return { ...record, value: bytes.subarray(start, end) };
  });
  return moved(copies, [bytes]);
}
