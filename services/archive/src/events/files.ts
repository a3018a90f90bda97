import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { keyPart, type ObjectStore } from '@switchboard/object-store';
import type { NewFile } from '../files/contents.ts';
import { ANY_PROJECT, collectContents } from '../files/contents.ts';
import { encodeEvents } from '../files/encode.ts';
import { compareRows } from '../files/order.ts';
import { openBytes } from '../files/read.ts';
import type { ArchivedEvent } from './archived-event.ts';
import type { Segment } from './store.ts';

const OFFSET_DIGITS = 16;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A project with as many rows in a segment gets a file of its own. Changed, it leaves files of crashed writers behind. */
const OWN_FILE_ROWS = 10_000;
/** Concurrent files of one partition. */
const MAX_CONCURRENT_FILES = 4;

type Position = Pick<Segment, 'partition' | 'firstOffset' | 'firstAt'>;

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The object with the events of a segment that were accepted on one day (UTC), of all projects without their own. */
export function fileKey(segment: Position, receivedAt: number): string {
  return `${keyPrefix(segment, dayOf(receivedAt))}.parquet`;
}

/** The object with those of one project, where it has many. */
export function ownFileKey(
  segment: Position,
  { projectId, receivedAt }: { projectId: string; receivedAt: number },
): string {
  const project = hash('sha256', projectId, 'hex').slice(0, 16);
  return `${keyPrefix(segment, dayOf(receivedAt))}-${project}.parquet`;
}

/** The folder of a project's files before a file had many projects. */
export const formerFolder = (projectId: string): string => `events/${keyPart(projectId)}/`;

/** Where such a file is. */
export function formerFileKey(
  segment: Position,
  { projectId, receivedAt }: { projectId: string; receivedAt: number },
): string {
  return `${formerFolder(projectId)}${dayOf(receivedAt)}/${positionOf(segment)}.parquet`;
}

function keyPrefix(segment: Position, day: string): string {
  return `events/${day}/${positionOf(segment)}`;
}

function positionOf({ partition, firstOffset, firstAt }: Position): string {
  return `events-${partition}-${String(firstOffset).padStart(OFFSET_DIGITS, '0')}-${firstAt}`;
}

interface WriteOptions {
  objects: Pick<ObjectStore, 'put' | 'get' | 'list' | 'delete'>;
  /** Aborts with an exception. */
  signal: AbortSignal;
  /** Set when records of the segment are gone from the log: existing files have rows that cannot be written again. */
  keepExisting: boolean;
  /** Set when another process began the segment, maybe one of a version that wrote a file per project. */
  isTakenOver: boolean;
}

/** Stores the files of a segment, replacing those of an earlier try. */
export async function writeFiles(
  segment: Segment,
  events: readonly ArchivedEvent[],
  { objects, signal, keepExisting, isTakenOver }: WriteOptions,
): Promise<NewFile[]> {
  const all = keepExisting ? await withExisting(segment, events, objects) : events;
  const files = filesOf(segment, all);
  const left = files.values();
  const stored: NewFile[] = [];
  const worker = async () => {
    for (const { key, projectId, rows } of left) {
      signal.throwIfAborted();
      const contents = collectContents();
      for (const event of rows) contents.add(event);
      const bytes = await encodeEvents(rows.sort(compareRows));
      signal.throwIfAborted();
      await objects.put(key, bytes);
      const day = dayOf(rows[0]?.receivedAt ?? 0);
      stored.push({ key, day, ...ANY_PROJECT, projectId, bytes: bytes.length, ...contents.get() });
    }
  };
  // Waits for all of them: none may write once the next try has begun.
  const outcomes = await Promise.allSettled(Array.from({ length: MAX_CONCURRENT_FILES }, worker));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  signal.throwIfAborted();
  if (isTakenOver) {
    const former = new Set(all.map((event) => formerFileKey(segment, event)));
    for (const key of former) await objects.delete(key);
  }
  return stored.sort((one, other) => (one.key < other.key ? -1 : 1));
}

function filesOf(segment: Segment, events: readonly ArchivedEvent[]) {
  return [...Map.groupBy(events, ({ receivedAt }) => Math.floor(receivedAt / DAY_MS))].flatMap(
    ([day, ofDay]) => {
      const receivedAt = day * DAY_MS;
      const own = [];
      const shared: ArchivedEvent[] = [];
      for (const [projectId, rows] of Map.groupBy(ofDay, (event) => event.projectId)) {
        if (rows.length < OWN_FILE_ROWS) for (const row of rows) shared.push(row);
        else own.push({ key: ownFileKey(segment, { projectId, receivedAt }), projectId, rows });
      }
      if (shared.length === 0) return own;
      return [...own, { key: fileKey(segment, receivedAt), projectId: null, rows: shared }];
    },
  );
}

/** These events and those of the files that an earlier try stored. */
async function withExisting(
  segment: Segment,
  events: readonly ArchivedEvent[],
  objects: Pick<ObjectStore, 'get' | 'list'>,
): Promise<ArchivedEvent[]> {
  const all = new Map(events.map((event) => [`${event.offset} ${event.line}`, event]));
  // Records are accepted shortly before they are in the log.
  for (let at = segment.earliestAt - DAY_MS; at < segment.latestAt + DAY_MS; at += DAY_MS) {
    for await (const { key } of objects.list(keyPrefix(segment, dayOf(at)))) {
      const object = await objects.get(key);
      if (object === undefined) continue;
      for await (const rows of (await openBytes(await buffer(object.body))).groups()) {
        for (const row of rows) all.set(`${row.offset} ${row.line}`, row);
      }
    }
  }
  return [...all.values()];
}
