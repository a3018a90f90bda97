import type { Database } from '@switchboard/database';
import type { RecordBatch, StoredRecord } from '@switchboard/event-log';
import type { ArchivedEvent } from './archived-event.ts';
import { createDeadLetters } from './dead-letters.ts';
import { saveProgress } from './progress.ts';
import { readRecord } from './reading.ts';
import { createSightings } from './sightings.ts';

/** What a record adds to the archive. */
export interface Entry {
  offset: bigint;
  /** When the log took it, in milliseconds. */
  timestamp: number;
  bytes: number;
  /** Without those seen before at another place. */
  events: ArchivedEvent[];
  duplicates: number;
}

export type TakeIn = (
  batch: Pick<RecordBatch, 'deadLetter'>,
  records: readonly StoredRecord[],
) => Promise<Entry[]>;

interface TakingIn {
  database: Pick<Database, 'drizzle'>;
  onDeadLetters(count: number): void;
}

/**
 * Reads records of one partition and remembers where their events are: from then on each is known to be accepted.
 * The same records give the same entries again.
 */
export function createTakingIn({ database, onDeadLetters }: TakingIn): TakeIn {
  const sightings = createSightings(database);
  const deadLetters = createDeadLetters(database);

  return async (batch, records) => {
    const last = records.at(-1);
    if (last === undefined) return [];
    const read = records.map((record) => ({ record, ...readRecord(record) }));
    const events = read.flatMap((one) => one.events);
    const isFirst = await sightings.see(events);
    const wanted = new Set(events.filter((_, index) => isFirst[index]));
    onDeadLetters(
      await deadLetters.put(
        batch,
        read.flatMap((one) => one.unreadable),
      ),
    );
    await saveProgress(database, {
      partition: last.partition,
      nextOffset: last.offset + 1n,
      recordedAt: last.timestamp,
      acceptedAt: events.at(-1)?.receivedAt ?? last.timestamp,
    });
    return read.map(({ record, events: all }) => {
      const kept = all.filter((event) => wanted.has(event));
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

export function sum<K extends string>(items: readonly Record<K, number>[], property: K): number {
  return items.reduce((total, item) => total + item[property], 0);
}
