import type { RecordBatch, StoredRecord } from '@switchboard/event-log';
import type { ArchivedEvent } from './archived-event.ts';
import { putDeadLetters } from './dead-letters.ts';
import { decodeRecord } from './decode.ts';
import { deduplicate } from './deduplication.ts';
import type { EventsStore } from './store.ts';

/** What a record adds to the archive. */
export interface Entry {
  offset: bigint;
  /** Log timestamp in milliseconds. */
  timestamp: number;
  bytes: number;
  /** Without duplicates. */
  events: ArchivedEvent[];
  duplicates: number;
}

export type Intake = (
  batch: Pick<RecordBatch, 'deadLetter'>,
  records: readonly StoredRecord[],
) => Promise<Entry[]>;

interface IntakeOptions {
  store: EventsStore;
  onDeadLetters(count: number): void;
}

/**
 * Decodes records of one partition and stores the place of each event: from then on the event counts as accepted.
 * The same records give the same entries again.
 */
export function createIntake({ store, onDeadLetters }: IntakeOptions): Intake {
  return async (batch, records) => {
    const last = records.at(-1);
    if (last === undefined) return [];
    const decoded = records.map((record) => ({ record, ...decodeRecord(record) }));
    const events = decoded.flatMap((one) => one.events);
    const firsts = await deduplicate(store, events);
    const undecodable = decoded.flatMap((one) => one.undecodable);
    onDeadLetters(await putDeadLetters(store, batch, undecodable));
    await store.saveProgress({
      partition: last.partition,
      nextOffset: last.offset + 1n,
      recordedAt: last.timestamp,
      acceptedAt: events.at(-1)?.receivedAt ?? last.timestamp,
    });
    return decoded.map(({ record, events: all }) => {
      const kept = all.filter((event) => firsts.has(event));
      return {
        offset: record.offset,
        timestamp: record.timestamp,
        bytes: record.value?.length ?? 0,
        events: kept,
        duplicates: all.length - kept.length,
      };
    });
  };
}
