import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '@switchboard/object-store';
import type { Threads } from '@switchboard/runtime/threads';
import type { NewFile } from '../rows/contents.ts';
import { dayOf, formerFileKey, keyPrefix } from '../rows/file-keys.ts';
import type { EventCalls } from './calls.ts';
import type { SegmentRecord } from './encode-segment.ts';
import type { Segment } from './store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The number of concurrent uploads per partition. */
const MAX_CONCURRENT_FILES = 4;

interface WriteOptions {
  objects: Pick<ObjectStore, 'put' | 'get' | 'list' | 'delete'>;
  threads: Pick<Threads<EventCalls>, 'use'>;
  /** Aborts the call with an exception. */
  signal: AbortSignal;
  /**
   * Set when records of the segment are missing from the log: existing files have rows that cannot be written again.
   */
  keepExisting: boolean;
  /** Set when another process began the segment, possibly of a version that wrote a file per project. */
  isTakenOver: boolean;
}

/** Stores the files of a segment, replacing those of an earlier attempt. */
export async function writeFiles(
  segment: Segment,
  records: SegmentRecord[],
  { objects, threads, signal, keepExisting, isTakenOver }: WriteOptions,
): Promise<NewFile[]> {
  const { partition, firstOffset, firstAt } = segment;
  const existing = keepExisting ? await existingFiles(segment, objects) : [];
  const position = { partition, firstOffset, firstAt };
  const encoded = await threads.use((thread) => thread.encode({ position, records, existing }));
  const left = encoded.values();
  const stored: NewFile[] = [];
  const put = async () => {
    for (const { content, ...file } of left) {
      signal.throwIfAborted();
      await objects.put(file.key, content);
      stored.push({ ...file, bytes: content.length });
    }
  };
  // Waits for all uploads: none may write once the next attempt has begun.
  const outcomes = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_FILES }, put));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  signal.throwIfAborted();
  if (isTakenOver) {
    for (const key of formerKeys(segment, records)) await objects.delete(key);
  }
  return stored.sort((one, other) => (one.key < other.key ? -1 : 1));
}

function formerKeys(segment: Segment, records: readonly SegmentRecord[]): Set<string> {
  return new Set(
    records.flatMap(({ events }) => (events.lines.length === 0 ? [] : formerFileKey(segment, events))),
  );
}

async function existingFiles(
  segment: Segment,
  objects: Pick<ObjectStore, 'get' | 'list'>,
): Promise<Uint8Array[]> {
  const files: Uint8Array[] = [];
  // Records are accepted shortly before they are in the log.
  for (let at = segment.earliestAt - DAY_MS; at < segment.latestAt + DAY_MS; at += DAY_MS) {
    for await (const { key } of objects.list(keyPrefix(segment, dayOf(at)))) {
      const object = await objects.get(key);
      if (object !== undefined) files.push(await buffer(object.body));
    }
  }
  return files;
}
