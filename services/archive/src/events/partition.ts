import { freeViews } from '@switchboard/engine';
import {
  createPartitionBuffer,
  isSameBatch,
  type PartitionWorker,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import type { Logger } from '@switchboard/runtime';
import type { Threads } from '@switchboard/runtime/threads';
import type { EventCalls } from './calls.ts';
import type { Deduplicate, Entry } from './deduplication.ts';
import { writeFiles } from './files.ts';
import { buffersOf } from './packed-events.ts';
import type { EventsStore, Segment, SegmentContents } from './store.ts';

/** The approximate number of bytes decoded at once. Slices consist of whole records. */
const SLICE_BYTES = 1_048_576;

/** Limits of the size and age of files, and of the memory used until they are written. */
export interface FileSettings {
  /** Bytes of JSON of one partition at which its files are written. */
  fileBytes: number;
  /** The longest wait of the first event of a file, in milliseconds. */
  fileAgeMs: number;
  /** Bytes of JSON of all partitions of this process past which files are written early. */
  bufferBytes: number;
}

/** A file is several times smaller than its JSON. The buffer holds the JSON of four files. */
export const FILE_LIMITS = { fileBytes: 8_388_608, bufferBytes: 33_554_432 };

/** Bytes held in memory by all partitions of this process. */
export interface Held {
  bytes: number;
}

interface PartitionOptions {
  partition: number;
  deduplicate: Deduplicate;
  store: Pick<EventsStore, 'findSegment' | 'segmentsWithin' | 'beginSegment' | 'markStored'>;
  objects: Pick<ObjectStore, 'put' | 'get' | 'list' | 'delete'>;
  threads: Pick<Threads<EventCalls>, 'use'>;
  settings: FileSettings;
  held: Held;
  logger: Logger;
  onStored(contents: SegmentContents): void;
}

export interface EventPartition extends PartitionWorker {
  /** Log timestamp of the oldest record held, in milliseconds. */
  oldestAt(): number | undefined;
}

/**
 * Archives one partition: holds records until a segment is complete, then stores its files, marks it stored and
 * commits, in this order. The next owner of the partition may repeat any step.
 */
export function createEventPartition(options: PartitionOptions): EventPartition {
  const { partition, deduplicate, store, objects, threads, settings, held, logger, onStored } = options;
  const buffer = createPartitionBuffer({
    topic: 'events',
    partition,
    limits: { bytes: settings.fileBytes, ageMs: settings.fileAgeMs, bufferBytes: settings.bufferBytes },
    held,
    task: 'archive events',
    write: writeDue,
    onDropped() {
      entries = [];
    },
    logger,
  });
  const { signal, inTurn, drop, settled } = buffer;
  /** In reading order. If offsets went back, an offset may be lower than or equal to the previous one. */
  let entries: Entry[] = [];
  let batch: RecordBatch | undefined;
  /** The offset of the first record that has not been taken in. */
  let position = 0n;
  /** The segment of the first entry, once it has been looked up. */
  let current: { segment: Segment | undefined; isOwn?: boolean } | undefined;
  async function addNow(current: RecordBatch): Promise<void> {
    begin(current);
    // In slices, so that compressed batches are decoded only as they are written.
    for (const slice of slicesOf(current.records.filter(({ offset }) => offset >= position))) {
      const taken = await deduplicate(current, slice);
      if (signal.aborted) return;
      if (entries.length === 0) buffer.startAge();
      entries.push(...taken);
      const last = taken.at(-1);
      if (last !== undefined) position = last.offset + 1n;
      buffer.count(sum(taken, 'bytes'));
      await writeDue();
      if (signal.aborted) return;
    }
  }

  /** Sets the start position. A retry of the same batch continues, and any other batch is taken in completely. */
  function begin(current: RecordBatch): void {
    const [first] = current.records;
    if (batch === undefined || !isSameBatch(batch, current)) {
      if (batch !== undefined && first !== undefined && first.offset < position) {
        logger.error(
          { topic: 'events', partition, from: String(position), to: String(first.offset) },
          'topic was recreated or truncated, resuming at an earlier offset',
        );
      }
      position = first?.offset ?? current.nextOffset;
    }
    batch = current;
  }

  /** Writes the segments that are complete or due. */
  async function writeDue(): Promise<void> {
    for (;;) {
      const [first] = entries;
      if (first === undefined) return;
      current ??= { segment: await store.findSegment(partition, first) };
      const { segment } = current;
      if (segment === undefined) {
        const run = entries.slice(0, lengthOf(entries));
        if (!buffer.isDue() && run.length === entries.length) return buffer.writeWhenDue();
        const wanted = segmentOf(first, await beforeKnown(first, run));
        current = { segment: await store.beginSegment(wanted), isOwn: true };
        continue;
      }
      const own = entries.slice(0, lengthOf(entries, segment));
      if (segment.isStored) {
        await finish(segment, own);
      } else if (own.length === entries.length && own.at(-1)?.offset !== segment.lastOffset) {
        // An earlier attempt fixed the end. The missing records come with the next batches.
        return;
      } else {
        await storeSegment(segment, own, current.isOwn !== true);
        current = { segment: { ...segment, isStored: true } };
      }
      if (signal.aborted) return;
    }
  }

  /**
   * Returns these entries up to the first that belongs to a later segment. A group that starts over may find that an
   * earlier segment was deleted.
   */
  async function beforeKnown(first: Entry, run: readonly Entry[]): Promise<readonly Entry[]> {
    const known = await store.segmentsWithin(segmentOf(first, run));
    const end = run.findIndex(({ offset, timestamp }) =>
      known.some((one) => offset >= one.firstOffset && isWithin(one, offset, timestamp)),
    );
    return end === -1 ? run : run.slice(0, end);
  }

  async function storeSegment(segment: Segment, own: readonly Entry[], isTakenOver: boolean): Promise<void> {
    const [first] = own;
    const isFirstMissing = first !== undefined && first.offset > segment.firstOffset;
    const keepExisting = isFirstMissing || own.at(-1)?.offset !== segment.lastOffset;
    if (isFirstMissing) {
      const missing = `${segment.firstOffset} to ${first.offset - 1n}`;
      logger.error({ topic: 'events', partition, missing }, 'records expired before their files were stored');
    }
    const records = own.map(({ events, without }) => ({ events, without }));
    const options = { objects, threads, signal, keepExisting, isTakenOver };
    const files = await writeFiles(segment, records, options);
    const contents = { files, events: sum(own, 'count'), duplicates: sum(own, 'duplicates') };
    await store.markStored(segment, contents);
    onStored(contents);
  }

  /** Commits and drops the entries of a stored segment. The segment may have more entries than this. */
  async function finish(segment: Segment, own: readonly Entry[]): Promise<void> {
    const through = own.at(-1)?.offset;
    const later = entries.slice(own.length);
    // If offsets went back after these, committing them would skip current records of the log.
    const wentBack = (offset: bigint) => position <= offset || later.some((one) => one.offset <= offset);
    if (through !== undefined && !wentBack(through)) await batch?.commit(through + 1n);
    // The partition was dropped during the commit, so its bytes are no longer counted.
    if (signal.aborted) return;
    entries = later;
    buffer.count(-sum(own, 'bytes'));
    freeViews(own.flatMap(({ events }) => buffersOf(events)));
    if (through === segment.lastOffset || entries.length > 0) current = undefined;
  }

  function segmentOf(first: Entry, run: readonly Entry[]): Omit<Segment, 'isStored'> {
    let [earliestAt, latestAt] = [first.timestamp, first.timestamp];
    for (const { timestamp } of run) {
      earliestAt = Math.min(earliestAt, timestamp);
      latestAt = Math.max(latestAt, timestamp);
    }
    const { offset: firstOffset, timestamp: firstAt } = first;
    const lastOffset = run.at(-1)?.offset ?? firstOffset;
    return { partition, firstOffset, firstAt, lastOffset, earliestAt, latestAt };
  }

  return {
    add: (batch) => inTurn(() => addNow(batch)),
    drop,
    settled,
    oldestAt: () => entries[0]?.timestamp,
  };
}

function sum<K extends string>(items: readonly Record<K, number>[], property: K): number {
  return items.reduce((total, item) => total + item[property], 0);
}

/** Returns how many of the first entries have ascending offsets and, if a segment is given, belong to it. */
function lengthOf(entries: readonly Entry[], segment?: Segment): number {
  let before = -1n;
  const end = entries.findIndex(({ offset, timestamp }) => {
    const isAscending = offset > before;
    before = offset;
    return !isAscending || (segment !== undefined && !isWithin(segment, offset, timestamp));
  });
  return end === -1 ? entries.length : end;
}

/** Also compares times: records written after a log was truncated reuse offsets of earlier segments. */
function isWithin(segment: Segment, offset: bigint, timestamp: number): boolean {
  return offset <= segment.lastOffset && timestamp >= segment.earliestAt && timestamp <= segment.latestAt;
}

/**
 * Yields at least one slice, which is empty without records, because entries of an earlier attempt may still have to
 * be written.
 */
function* slicesOf(records: readonly StoredRecord[]): Generator<StoredRecord[]> {
  let slice: StoredRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    const size = record.value?.length ?? 0;
    if (slice.length > 0 && bytes + size > SLICE_BYTES) {
      yield slice;
      slice = [];
      bytes = 0;
    }
    slice.push(record);
    bytes += size;
  }
  yield slice;
}
