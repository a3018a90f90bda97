import { PartitionLost, type RecordBatch } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { backoffDelay } from '@switchboard/resilience';
import type { Logger } from '@switchboard/service-kit';
import { writeFiles } from './files.ts';
import type { Entry, Intake } from './intake.ts';
import type { EventsStore, Segment, SegmentContents } from './store.ts';

/** How large and how old files get, and how much memory may be used until then. */
export interface FileSettings {
  /** Bytes of JSON of one partition at which its files are written. */
  fileBytes: number;
  /** How long the first event of a file waits at most, in milliseconds. */
  fileAgeMs: number;
  /** Bytes of JSON of all partitions of this process past which files are written early. */
  bufferBytes: number;
}

/** Bytes held in memory by all partitions of this process. */
export interface Held {
  bytes: number;
}

interface PartitionOptions {
  partition: number;
  intake: Intake;
  store: Pick<EventsStore, 'findSegment' | 'beginSegment' | 'markStored'>;
  objects: Pick<ObjectStore, 'put' | 'get'>;
  settings: FileSettings;
  held: Held;
  logger: Logger;
  onStored(contents: SegmentContents): void;
}

export interface EventPartition {
  /** Takes records in, skips those it has already, and writes files when they are due. */
  add(batch: RecordBatch): Promise<void>;
  /** Drops everything that is not committed: it is delivered again. */
  drop(): void;
  /** Resolves when no work is in progress. */
  settled(): Promise<unknown>;
  /** Log timestamp of the oldest record held, in milliseconds. */
  oldestAt(): number | undefined;
}

/**
 * Archives one partition: holds records until a segment is complete, then stores its files, marks it stored and commits,
 * in this order. Any step may be repeated by the next owner of the partition.
 */
export function createEventPartition(options: PartitionOptions): EventPartition {
  const { partition, intake, store, objects, settings, held, logger, onStored } = options;
  const dropping = new AbortController();
  let entries: Entry[] = [];
  let bytes = 0;
  let nextOffset = -1n;
  /** The segment of the first entry, once it was looked up. */
  let current: { segment: Segment | undefined } | undefined;
  let commit: RecordBatch['commit'] | undefined;
  let heldSince = 0;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let turn: Promise<unknown> = Promise.resolve();

  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(() => (dropping.signal.aborted ? undefined : work()));
    turn = done.catch(() => undefined);
    return done;
  }

  async function addNow(batch: RecordBatch): Promise<void> {
    commit = (offset) => batch.commit(offset);
    const records = batch.records.filter(({ offset }) => offset >= nextOffset);
    const taken = await intake(batch, records);
    if (dropping.signal.aborted) return;
    if (entries.length === 0) heldSince = performance.now();
    entries.push(...taken);
    const last = taken.at(-1);
    if (last !== undefined) nextOffset = last.offset + 1n;
    count(sum(taken, 'bytes'));
    await writeDue();
  }

  /** Writes the segments that are complete or due. */
  async function writeDue(): Promise<void> {
    for (;;) {
      const [first] = entries;
      const last = entries.at(-1);
      if (first === undefined || last === undefined) return;
      current ??= { segment: await store.findSegment(partition, first) };
      const { segment } = current;
      if (segment === undefined) {
        if (!isDue()) return wait(heldSince + settings.fileAgeMs - performance.now());
        current = { segment: await store.beginSegment(segmentOf(first, last)) };
      } else if (segment.isStored) {
        await finish(segment);
      } else if (last.offset < segment.lastOffset) {
        // An earlier try fixed its end; the missing records come with the next batches.
        return;
      } else {
        await storeSegment(segment, first);
        current = { segment: { ...segment, isStored: true } };
      }
      if (dropping.signal.aborted) return;
    }
  }

  async function storeSegment(segment: Segment, first: Entry): Promise<void> {
    const own = entries.filter(({ offset }) => offset <= segment.lastOffset);
    const events = own.flatMap((entry) => entry.events);
    const keepExisting = first.offset > segment.firstOffset;
    if (keepExisting) {
      const missing = `${segment.firstOffset} to ${first.offset - 1n}`;
      logger.error(
        { topic: 'events', partition, missing },
        'found records expired before their files were stored',
      );
    }
    const files = await writeFiles(segment, events, { objects, signal: dropping.signal, keepExisting });
    const contents = { files, events: events.length, duplicates: sum(own, 'duplicates') };
    await store.markStored(segment, contents);
    onStored(contents);
  }

  /** Commits and drops the entries of a stored segment, which may contain more than is here. */
  async function finish(segment: Segment): Promise<void> {
    const done = entries.filter(({ offset }) => offset <= segment.lastOffset);
    const through = done.at(-1)?.offset;
    if (through !== undefined) await commit?.(through + 1n);
    entries = entries.slice(done.length);
    count(-sum(done, 'bytes'));
    if (through === segment.lastOffset || entries.length > 0) current = undefined;
  }

  function segmentOf(first: Entry, last: Entry): Omit<Segment, 'isStored'> {
    let [earliestAt, latestAt] = [first.timestamp, first.timestamp];
    for (const { timestamp } of entries) {
      earliestAt = Math.min(earliestAt, timestamp);
      latestAt = Math.max(latestAt, timestamp);
    }
    const { offset: firstOffset, timestamp: firstAt } = first;
    return { partition, firstOffset, firstAt, lastOffset: last.offset, earliestAt, latestAt };
  }

  function isDue(): boolean {
    if (bytes >= settings.fileBytes || held.bytes >= settings.bufferBytes) return true;
    return performance.now() - heldSince >= settings.fileAgeMs;
  }

  function count(more: number): void {
    bytes += more;
    held.bytes += more;
  }

  function wait(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void inTurn(writeDue).then(onWritten, onFailure);
    }, ms);
  }

  function onWritten(): void {
    if (failures > 0) logger.info({ topic: 'events', partition, failures }, 'recovered archiving');
    failures = 0;
  }

  function onFailure(error: unknown): void {
    if (error instanceof PartitionLost) drop();
    if (dropping.signal.aborted) return;
    if (failures++ === 0) logger.error({ topic: 'events', partition, error }, 'archiving failed, retrying');
    wait(backoffDelay(failures, { baseMs: 200, maxMs: 10_000 }));
  }

  function drop(): void {
    if (dropping.signal.aborted) return;
    dropping.abort(new PartitionLost(`events/${partition} has another owner`));
    clearTimeout(timer);
    count(-bytes);
    entries = [];
  }

  return {
    add: (batch) => inTurn(() => addNow(batch)),
    drop,
    settled: () => turn,
    oldestAt: () => entries[0]?.timestamp,
  };
}

function sum<K extends string>(items: readonly Record<K, number>[], property: K): number {
  return items.reduce((total, item) => total + item[property], 0);
}
