import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import type { ListedObject, ObjectStore } from '@switchboard/object-store';
import type { Logger } from '@switchboard/runtime';
import type { Threads } from '@switchboard/runtime/threads';
import { ANY_PROJECT, type NewFile } from '../rows/contents.ts';
import { type FileCalls, refOf } from './calls.ts';
import { deleteFiles } from './rewrite.ts';
import { createRecordSet, type Scan } from './scan.ts';
import type { FilesStore } from './store.ts';

interface RebuildOptions {
  store: Pick<FilesStore, 'find' | 'readableOf' | 'enter' | 'withReplaced' | 'markDeleted'>;
  objects: Pick<ObjectStore, 'list' | 'delete'>;
  /** The threads that read files. */
  threads: Pick<Threads<FileCalls>, 'use'>;
  log: Pick<EventLog, 'lag'>;
  /** The consumer group that writes records to files. */
  group: string;
  /** Whether records of this time have expired from the log. */
  isExpired(timestamp: number): boolean;
  logger: Pick<Logger, 'info' | 'error' | 'failed'>;
  /** Aborts the call with an exception. */
  signal: AbortSignal;
}

interface Found extends ListedObject {
  day: string;
  /** The first record of a segment's file; undefined for a merged file. */
  segment: { partition: number; offset: bigint; timestamp: number } | undefined;
  /** The step that wrote a merged file. */
  step: string | undefined;
}

interface Scanned {
  file: Found;
  scan: Scan;
}

const SEGMENT = /^events\/(?:[^/]+\/)?(\d{4}-\d\d-\d\d)\/events-(\d+)-(\d+)-(\d+)(?:-[0-9a-f]+)?\.parquet$/;
const MERGED = /^events\/(\d{4}-\d\d-\d\d)\/merged-([0-9a-f-]{36})-\d+\.parquet$/;
const KEYS_AT_ONCE = 500;

/**
 * Rebuilds the manifest, which is the table `event_files`. Enters files that exist only in the object store: those
 * written after a restored backup, and those from before files had many projects. Of files with the same rows, which
 * a merge leaves for a while, it enters one and deletes the others. Files missing from the object store are removed
 * from the table. Idempotent. Returns the days on which a folder failed. Such a failure does not affect other folders.
 */
export async function rebuildManifest(options: RebuildOptions): Promise<Set<string>> {
  const { objects, logger, signal } = options;
  const folders = new Set<string>();
  for await (const { key } of objects.list('events/')) {
    signal.throwIfAborted();
    const found = SEGMENT.exec(key) ?? MERGED.exec(key);
    if (found !== null) folders.add(folderOf(key));
  }
  const failed = new Set<string>();
  for (const folder of folders) {
    try {
      await rebuildFolder(folder, options);
    } catch (error) {
      signal.throwIfAborted();
      logger.failed('rebuild manifest', error, { folder });
      failed.add(dayOf(folder));
    }
  }
  return failed;
}

async function rebuildFolder(folder: string, options: RebuildOptions): Promise<void> {
  const { store, objects, logger, signal } = options;
  // This order matters: files stored in between must not look missing.
  const readable = await store.readableOf(dayOf(folder));
  const listed: ListedObject[] = [];
  for await (const object of objects.list(`${folder}/`)) {
    if (folderOf(object.key) === folder) listed.push(object);
  }
  const present = new Set(listed.map(({ key }) => key));
  const missing = readable.filter(({ key }) => folderOf(key) === folder && !present.has(key));
  const unknown = (await unknownOf(listed, store)).flatMap(foundOf);
  const final = await finalOf(unknown, options);
  const entered = new Map<string, Scanned>();
  for (const file of final) {
    signal.throwIfAborted();
    const scan = await scanOf(file, options);
    if (scan !== undefined) entered.set(file.key, { file, scan });
  }
  const known = readable.filter(({ key }) => present.has(key));
  const steps = Map.groupBy(
    unknown.filter(({ step }) => step !== undefined),
    ({ step }) => step,
  );
  const { replaced, redundant } = await chooseMerged([...steps.values()], { known, entered, options });
  const files = [...entered.values()].map(newFileOf);
  await store.enter(files, replaced);
  await deleteFiles(missing, { store, objects });
  for (const key of redundant) await objects.delete(key);
  const counts = { entered: files.length, replaced: replaced.length, redundant: redundant.length };
  if (files.length + missing.length + redundant.length > 0) {
    logger.info({ folder, ...counts, missing: missing.length }, 'rebuilt manifest');
  }
}

interface Choice {
  known: readonly { key: string; bytes: number }[];
  /** By key. Modified in place. */
  entered: Map<string, Scanned>;
  options: RebuildOptions;
}

/** Enters the merged files with rows that no other file has, and returns the files they replace. */
async function chooseMerged(
  steps: readonly Found[][],
  { known, entered, options }: Choice,
): Promise<{ replaced: string[]; redundant: string[] }> {
  const replaced: string[] = [];
  const redundant: string[] = [];
  if (steps.length === 0) return { replaced, redundant };
  const scans = new Map([...entered].map(([key, { scan }]) => [key, scan]));
  for (const file of known) {
    const scan = await scanOf(file, options);
    if (scan !== undefined) scans.set(file.key, scan);
  }
  for (const step of steps.toSorted((one, other) => writtenAt(one) - writtenAt(other))) {
    options.signal.throwIfAborted();
    const files: Scanned[] = [];
    for (const file of step) {
      const scan = await scanOf(file, options);
      if (scan !== undefined) files.push({ file, scan });
    }
    const others = createRecordSet();
    for (const scan of scans.values()) others.add(scan);
    if (files.every(({ scan }) => others.overlap(scan) === 'all')) {
      redundant.push(...step.map(({ key }) => key));
      continue;
    }
    const own = createRecordSet();
    for (const { scan } of files) own.add(scan);
    const overlaps = [...scans].map(([key, scan]) => ({ key, overlap: own.overlap(scan) }));
    const partly = overlaps.filter(({ overlap }) => overlap === 'some').map(({ key }) => key);
    if (partly.length > 0) {
      const keys = step.map(({ key }) => key);
      options.logger.error({ keys, partly }, 'skipped files that share some rows with other files');
      continue;
    }
    for (const { key } of overlaps.filter(({ overlap }) => overlap === 'all')) {
      scans.delete(key);
      (entered.delete(key) ? redundant : replaced).push(key);
    }
    for (const one of files) {
      scans.set(one.file.key, one.scan);
      entered.set(one.file.key, one);
    }
  }
  return { replaced, redundant };
}

/**
 * Returns the segment files with records that are not read again. Other records would be written again, to
 * overlapping files.
 */
async function finalOf(
  unknown: readonly Found[],
  { log, group, isExpired }: RebuildOptions,
): Promise<Found[]> {
  if (unknown.every(({ segment }) => segment === undefined)) return [];
  const lags = await log.lag(group, [ingestionTopics.events]);
  const ranges = new Map(lags.map((one) => [one.partition, one]));
  return unknown.filter(({ segment }) => {
    if (segment === undefined) return false;
    const { committed, end } = ranges.get(segment.partition) ?? { committed: 0n, end: 0n };
    // Records beyond the end were on an earlier topic of this name.
    return segment.offset < committed || segment.offset >= end || isExpired(segment.timestamp);
  });
}

async function unknownOf(
  listed: readonly ListedObject[],
  store: Pick<FilesStore, 'find'>,
): Promise<ListedObject[]> {
  const unknown: ListedObject[] = [];
  for (let start = 0; start < listed.length; start += KEYS_AT_ONCE) {
    const some = listed.slice(start, start + KEYS_AT_ONCE);
    const known = new Set((await store.find(some.map(({ key }) => key))).map(({ key }) => key));
    unknown.push(...some.filter(({ key }) => !known.has(key)));
  }
  return unknown;
}

function foundOf(object: ListedObject): Found[] {
  const [, day, partition, offset, timestamp] = SEGMENT.exec(object.key) ?? [];
  if (day !== undefined && offset !== undefined) {
    const segment = { partition: Number(partition), offset: BigInt(offset), timestamp: Number(timestamp) };
    return [{ ...object, day, segment, step: undefined }];
  }
  const [, ofMerged, step] = MERGED.exec(object.key) ?? [];
  return ofMerged === undefined ? [] : [{ ...object, day: ofMerged, segment: undefined, step }];
}

function scanOf(
  file: { key: string; bytes?: number; size?: number },
  { threads, signal }: RebuildOptions,
): Promise<Scan | undefined> {
  const ref = refOf({ key: file.key, bytes: file.bytes ?? file.size ?? 0 });
  return threads.use((thread) => thread.scan(ref), signal);
}

function newFileOf({ file, scan }: Scanned): NewFile {
  const { key, day, size: bytes } = file;
  return { ...ANY_PROJECT, ...scan.contents, projectId: scan.projectId, key, day, bytes };
}

const dayOf = (folder: string): string => folder.slice(-'2026-01-01'.length);
const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/'));
const writtenAt = (files: readonly Found[]): number =>
  Math.max(...files.map(({ modifiedAt }) => modifiedAt.getTime()));
