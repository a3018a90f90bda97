import { moved } from '@switchboard/engine';
import type { RecordBatch, StoredRecord } from '@switchboard/event-log';
import type { Threads } from '@switchboard/runtime/threads';
import type { EventCalls } from './calls.ts';
import type { RawRecord, Undecodable } from './decode.ts';
import { findDuplicates } from './duplicates.ts';
import type { SegmentRecord } from './encode-segment.ts';
import { eventKey } from './event-key.ts';
import type { EventsStore } from './store.ts';

/** A record's contribution to the archive. */
export interface Entry extends SegmentRecord {
  offset: bigint;
  /** Log timestamp, in milliseconds. */
  timestamp: number;
  bytes: number;
  /** The number of archived events. */
  count: number;
  duplicates: number;
}

/** Returns the entries of records of one partition, without their duplicate events. */
export type Deduplicate = (
  batch: Pick<RecordBatch, 'deadLetter'>,
  records: readonly StoredRecord[],
) => Promise<Entry[]>;

interface DeduplicationOptions {
  store: EventsStore;
  threads: Pick<Threads<EventCalls>, 'use'>;
  onDeadLetters(count: number): void;
}

/**
 * Decodes records of one partition, and stores the place of each event to find duplicates. From then on the event
 * counts as accepted. Deterministic for the same records.
 */
export function createDeduplication({ store, threads, onDeadLetters }: DeduplicationOptions): Deduplicate {
  return async (batch, records) => {
    const last = records.at(-1);
    if (last === undefined) return [];
    const decoded = await threads.use((thread) => thread.decode(copiesOf(records)));
    const taken = records.map((record, index) => {
      const found = decoded[index];
      if (found === undefined) throw new Error('a record was not decoded');
      return { record, ...found };
    });
    const keyed = taken.map(({ keys, events }) => {
      const { partition, offset, lines, receivedAt: acceptedAt } = events;
      return { keys, partition, offset, lines, acceptedAt };
    });
    const duplicates = Map.groupBy(await findDuplicates(store, keyed), ({ offset }) => offset);
    const undecodable = taken.flatMap(({ record, undecodable }) =>
      undecodable.map((line) => ({ ...line, record })),
    );
    onDeadLetters(await putDeadLetters(store, batch, undecodable));
    await store.saveProgress({
      partition: last.partition,
      nextOffset: last.offset + 1n,
      recordedAt: last.timestamp,
      acceptedAt: keyed.findLast(({ lines }) => lines.length > 0)?.acceptedAt ?? last.timestamp,
    });
    return taken.map(({ record, events }) => {
      const without = (duplicates.get(record.offset) ?? []).map(({ line }) => line);
      return {
        events,
        without,
        offset: record.offset,
        timestamp: record.timestamp,
        bytes: record.value?.length ?? 0,
        count: events.lines.length - without.length,
        duplicates: without.length,
      };
    });
  };
}

/** Copies the records' values into one buffer, which is transferred to a thread without other fetched data. */
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

type DeadLetterStore = Pick<EventsStore, 'hasDeadLetter' | 'insertDeadLetter'>;

/**
 * Publishes undecodable lines and records to the dead-letter topic with the reason, and returns how many are new.
 * Those of a redelivery are already there.
 */
async function putDeadLetters(
  store: DeadLetterStore,
  batch: Pick<RecordBatch, 'deadLetter'>,
  found: readonly (Undecodable & { record: StoredRecord })[],
): Promise<number> {
  let count = 0;
  for (const { record, line, value, reason, projectId, eventId } of found) {
    const { partition, offset, timestamp } = record;
    const place = { partition, offset, line, recordedAt: timestamp };
    if (await store.hasDeadLetter(place)) continue;
    const headers = { ...record.headers, 'dead-letter-line': String(line) };
    // Published before it is recorded: after a crash between the two it is there twice rather than never.
    await batch.deadLetter({ ...record, value: value && Buffer.from(value), headers }, reason);
    const key = projectId && eventId ? eventKey(projectId, eventId) : null;
    await store.insertDeadLetter(place, { key, reason });
    count++;
  }
  return count;
}
