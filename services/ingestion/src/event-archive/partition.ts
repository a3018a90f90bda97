import { PartitionLost, type RecordBatch } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { backoffDelay, type Logger } from '@switchboard/service-kit';
import { writeFiles } from './files.ts';
import type { Segment, Segments } from './segments.ts';
import { type Entry, sum, type TakeIn } from './taking-in.ts';

/** How large and how old files get, and what may be held in memory until then. */
export interface ArchiveSettings {
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
  takeIn: TakeIn;
  segments: Segments;
  objects: Pick<ObjectStore, 'put' | 'get'>;
  settings: ArchiveSettings;
  held: Held;
  logger: Logger;
  onStored(contents: { files: number; events: number; duplicates: number }): void;
}

export interface PartitionArchive {
  /** Takes records in, and writes files when it is time. Those it has already are not taken again. */
  add(batch: RecordBatch): Promise<void>;
  /** Lets everything go that is not committed: somebody will get it again. */
  drop(): void;
  /** Resolves when nothing is under way any more. */
  settled(): Promise<unknown>;
  /** When the log took the oldest record that is held, in milliseconds. */
  oldestAt(): number | undefined;
}

/**
 * The archive of one partition: holds records until a segment is complete, then stores its files, marks it stored and
 * commits, in this order. Each step may be repeated by whoever gets the records again.
 */
export function createPartitionArchive(options: PartitionOptions): PartitionArchive {
  const { partition, takeIn, segments, objects, settings, held, logger, onStored } = options;
  const dropping = new AbortController();
  let entries: Entry[] = [];
  let bytes = 0;
  let nextOffset = -1n;
  /** The segment that the first entry is part of, once it was looked for. */
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
    const taken = await takeIn(batch, records);
    if (dropping.signal.aborted) return;
    if (entries.length === 0) heldSince = performance.now();
    entries.push(...taken);
    const last = taken.at(-1);
    if (last !== undefined) nextOffset = last.offset + 1n;
    count(sum(taken, 'bytes'));
    await writeOn();
  }

  /** Writes what is complete or due, segment by segment. */
  async function writeOn(): Promise<void> {
    for (;;) {
      const [first] = entries;
      const last = entries.at(-1);
      if (first === undefined || last === undefined) return;
      current ??= { segment: await segments.containing(partition, first) };
      const { segment } = current;
      if (segment === undefined) {
        if (!isDue()) return wait(heldSince + settings.fileAgeMs - performance.now());
        current = { segment: await segments.begin(segmentOf(first, last)) };
      } else if (segment.isStored) {
        await finish(segment);
      } else if (last.offset < segment.lastOffset) {
        // Its end was defined by an earlier try; what is missing comes with the next batches.
        return;
      } else {
        await store(segment, first);
        current = { segment: { ...segment, isStored: true } };
      }
      if (dropping.signal.aborted) return;
    }
  }

  async function store(segment: Segment, first: Entry): Promise<void> {
    const own = entries.filter(({ offset }) => offset <= segment.lastOffset);
    const events = own.flatMap((entry) => entry.events);
    const keepExisting = first.offset > segment.firstOffset;
    if (keepExisting) {
      const missing = `${segment.firstOffset} to ${first.offset - 1n}`;
      logger.error(
        { partition },
        `events/${partition}: the log no longer has ${missing}, part of files not finished`,
      );
    }
    const files = await writeFiles(segment, events, { objects, signal: dropping.signal, keepExisting });
    const contents = { files, events: events.length, duplicates: sum(own, 'duplicates') };
    await segments.markStored(segment, contents);
    onStored(contents);
  }

  /** Lets go of what a stored segment has, which may be more than is here. */
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
      void inTurn(writeOn).then(onWritten, onFailure);
    }, ms);
  }

  function onWritten(): void {
    if (failures > 0) logger.info({ partition }, `events/${partition}: archived after ${failures} failures`);
    failures = 0;
  }

  function onFailure(error: unknown): void {
    if (error instanceof PartitionLost) drop();
    if (dropping.signal.aborted) return;
    if (failures++ === 0)
      logger.error({ partition, error }, `events/${partition}: archiving failed, trying again`);
    wait(backoffDelay(failures, { base: 200, cap: 10_000 }));
  }

  function drop(): void {
    if (dropping.signal.aborted) return;
    dropping.abort(new PartitionLost(`events/${partition} is archived elsewhere from now on`));
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
