import { randomUUID } from 'node:crypto';
import { deadLettersOf } from '@switchboard/contracts';
import type { EventLog, OutgoingRecord, StoredRecord } from '@switchboard/event-log';
import type { LetterPlace } from './store.ts';

/** The headers that a record gets when it becomes a dead letter. */
export const HEADER_PREFIX = 'dead-letter-';
const READS = 'archive.dead-letter-reads';
const READ_MS = 10_000;
const BATCH_BYTES = 1_048_576;

/** Records that were read, by `placeKey`. Those that are neither in `records` nor in `gone` were not reached in time. */
export interface ReadLetters {
  records: ReadonlyMap<string, StoredRecord>;
  /** The keys of records that the log no longer has. */
  gone: ReadonlySet<string>;
}

export const placeKey = ({ partition, offset }: { partition: number; offset: number | bigint }): string =>
  `${partition}/${offset}`;

/** Reads single records of the dead-letter topic of a topic, for up to ten seconds. */
export async function readLetters(
  log: Pick<EventLog, 'lag' | 'consume'>,
  topic: string,
  places: readonly LetterPlace[],
): Promise<ReadLetters> {
  const letters = deadLettersOf(topic);
  const group = `${READS}.${randomUUID()}`;
  // A group that never committed continues from the earliest stored record.
  const stored = new Map((await log.lag(group, [letters])).map((one) => [one.partition, one]));
  const records = new Map<string, StoredRecord>();
  const gone = new Set<string>();
  /** The offsets to read, by partition. */
  const wanted = new Map<number, Set<bigint>>();
  for (const place of places) {
    const offset = BigInt(place.offset);
    const { committed: earliest = 0n, end = 0n } = stored.get(place.partition) ?? {};
    if (offset < earliest || offset >= end) gone.add(placeKey(place));
    else wanted.set(place.partition, (wanted.get(place.partition) ?? new Set()).add(offset));
  }
  if (wanted.size === 0) return { records, gone };

  const firsts = new Map(
    [...stored.values()].map(({ partition, end }) => [partition, least(wanted.get(partition)) ?? end]),
  );
  const done = Promise.withResolvers<void>();
  const consumption = await log.consume({
    group,
    topics: [letters],
    from: async () => firsts,
    commit: 'manual',
    maxBatchBytes: BATCH_BYTES,
    async handle(batch) {
      const open = wanted.get(batch.partition);
      if (open === undefined) return;
      for (const record of batch.records) {
        if (open.delete(record.offset)) records.set(placeKey(record), record);
      }
      for (const offset of open) {
        // Compaction and aborted transactions leave gaps.
        if (offset >= batch.nextOffset) continue;
        open.delete(offset);
        gone.add(placeKey({ partition: batch.partition, offset }));
      }
      if (open.size === 0) wanted.delete(batch.partition);
      if (wanted.size === 0) done.resolve();
    },
  });
  const timer = setTimeout(done.resolve, READ_MS);
  try {
    await done.promise;
  } finally {
    clearTimeout(timer);
    await consumption.stop();
  }
  return { records, gone };
}

const least = (offsets: ReadonlySet<bigint> = new Set()): bigint | undefined =>
  [...offsets].reduce<bigint | undefined>(
    (first, one) => (first === undefined || one < first ? one : first),
    undefined,
  );

/** Returns the record as it was first published. */
export function originalOf(
  { partition, key, value, headers }: StoredRecord,
  partitions: number,
): OutgoingRecord {
  const line = headers[`${HEADER_PREFIX}line`];
  const original = ownHeaders(headers);
  // One line of a record that has several is published on its own.
  if (line !== undefined && line !== '-1') original['count'] = '1';
  // All parts of one record get the same partition, even if the number of partitions has changed.
  return { partition: partition % partitions, key, value, headers: original };
}

export function ownHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(HEADER_PREFIX)));
}
