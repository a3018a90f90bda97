import { keyPart, type ObjectStore } from '@switchboard/object-store';
import type { ArchivedEvent } from './archived-event.ts';
import { encodeEvents } from './encode.ts';
import type { Segment } from './store.ts';

const OFFSET_DIGITS = 16;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Concurrent files of one partition. */
const MAX_CONCURRENT_FILES = 4;

/** The object with a project's events of a segment that were accepted on one day (UTC). */
export function fileKey(
  { partition, firstOffset, firstAt }: Pick<Segment, 'partition' | 'firstOffset' | 'firstAt'>,
  { projectId, receivedAt }: { projectId: string; receivedAt: number },
): string {
  const day = new Date(receivedAt).toISOString().slice(0, 10);
  const offset = String(firstOffset).padStart(OFFSET_DIGITS, '0');
  return `events/${keyPart(projectId)}/${day}/events-${partition}-${offset}-${firstAt}.parquet`;
}

interface WriteOptions {
  objects: Pick<ObjectStore, 'put' | 'get'>;
  /** Aborts with an exception. */
  signal: AbortSignal;
  /** Set when records of the segment are gone from the log: existing files have rows that cannot be written again. */
  keepExisting: boolean;
}

/** Stores the files of a segment, replacing those of an earlier try, and returns how many there are. */
export async function writeFiles(
  segment: Segment,
  events: readonly ArchivedEvent[],
  { objects, signal, keepExisting }: WriteOptions,
): Promise<number> {
  const files = [
    ...Map.groupBy(
      events,
      ({ projectId, receivedAt }) => `${Math.floor(receivedAt / DAY_MS)} ${projectId}`,
    ).values(),
  ];
  const left = files.values();
  const worker = async () => {
    for (const rows of left) {
      signal.throwIfAborted();
      const [first] = rows;
      if (first === undefined) continue;
      const key = fileKey(segment, first);
      if (keepExisting && (await exists(objects, key))) continue;
      await objects.put(key, encodeEvents(rows));
    }
  };
  // Waits for all of them: none may write once the next try has begun.
  const outcomes = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_FILES }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  signal.throwIfAborted();
  return files.length;
}

async function exists(objects: Pick<ObjectStore, 'get'>, key: string): Promise<boolean> {
  const found = await objects.get(key);
  found?.body.destroy();
  return found !== undefined;
}
