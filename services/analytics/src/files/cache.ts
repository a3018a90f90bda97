import { createWriteStream } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ObjectStore } from '@switchboard/object-store';
import { noReads, type Reads, withSignal } from '@switchboard/resilience';
import { DiskFull, isDiskFull } from './disk-full.ts';

export interface CachedFile {
  key: string;
  bytes: number;
}

/** A file that is readable on local disk. */
export interface HeldFile extends CachedFile {
  path: string;
}

/** Files in use, until `release` is called. */
export interface Held {
  files: HeldFile[];
  /** Throws FileGone if files were deleted externally. Drops them, so that they are downloaded again. */
  check(): Promise<void>;
  release(): void;
}

export interface FileCache {
  /** Empties the folder. */
  start(): Promise<void>;
  /**
   * Makes files readable on local disk, once all of them fit beside those in use. Throws FileGone, DiskFull,
   * TooManyBytes if they can never fit together, and the signal's reason once it aborts. After an abort, running
   * downloads finish, those that other queries wait for continue, and the rest never start.
   */
  hold(files: readonly CachedFile[], signal: AbortSignal): Promise<Held>;
  /** Returns the keys of all cached files. */
  keys(): string[];
  /** Deletes files. Files in use are deleted once they are released. */
  drop(keys: readonly string[]): Promise<void>;
  /** Counts the files held so far, by whether they were on disk. */
  reads(): Readonly<Reads>;
}

/** A file that the archive has replaced and deleted. */
export class FileGone extends Error {
  override readonly name = 'FileGone';
}

/** The files of a query are larger than the cache. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

interface Entry {
  /** A unique path, even among entries of one key: deleting a failed download does not affect its successor. */
  path: string;
  bytes: number;
  /** The number of queries and downloads that use the file. */
  users: number;
  /** Whether the file stays once it is unused: it is complete and not dropped. */
  stays: boolean;
  ready: PromiseWithResolvers<void>;
}

/** The entries of a query, and those of them that need a download. */
interface Taken {
  held: ReadonlyMap<string, Entry>;
  missing: readonly [string, Entry][];
}

interface CacheOptions {
  objects: Pick<ObjectStore, 'get'>;
  folder: string;
  maxBytes: number;
}

const MAX_DOWNLOADS = 8;

/**
 * Creates a cache of the archive's immutable files, limited in size. The least recently used files are evicted first.
 * The folder is emptied at the start, so that no file erased in between remains.
 */
export function createFileCache({ objects, folder, maxBytes }: CacheOptions): FileCache {
  const entries = new Map<string, Entry>();
  const reads = noReads();
  /** The queries waiting for room, the first in front. */
  const waiting: { files: readonly CachedFile[]; enter(): void }[] = [];
  let total = 0;
  /** Bytes of files in use. */
  let inUse = 0;
  let made = 0;

  async function download(key: string, path: string): Promise<void> {
    const object = await objects.get(key);
    if (object === undefined) throw new FileGone(`The file ${key} does not exist in the object store.`);
    await pipeline(object.body, createWriteStream(path));
  }

  function forget(key: string, entry: Entry): Promise<void> {
    if (entries.get(key) === entry) entries.delete(key);
    total -= entry.bytes;
    return rm(entry.path, { force: true });
  }

  function take({ key, bytes }: { key: string; bytes: number }): Entry {
    const known = entries.get(key);
    const entry = known ?? {
      path: join(folder, `${made++}.parquet`),
      bytes,
      users: 0,
      stays: false,
      ready: Promise.withResolvers(),
    };
    // A Map keeps insertion order, so the first entry is the least recently used.
    entries.delete(key);
    entries.set(key, entry);
    if (entry.users === 0) inUse += entry.bytes;
    entry.users++;
    if (known === undefined) total += bytes;
    return entry;
  }

  function takeAll(files: readonly CachedFile[]): Taken {
    const missing: [string, Entry][] = [];
    const held = new Map<string, Entry>();
    for (const file of files) {
      const isMissing = !entries.has(file.key);
      reads[isMissing ? 'misses' : 'hits']++;
      const entry = take(file);
      held.set(file.key, entry);
      if (isMissing) missing.push([file.key, entry]);
    }
    return { held, missing };
  }

  function fits(files: readonly CachedFile[]): boolean {
    const added = files.filter(({ key }) => (entries.get(key)?.users ?? 0) === 0);
    return inUse + bytesOf(added) <= maxBytes;
  }

  function admit(): void {
    for (let [first] = waiting; first !== undefined && fits(first.files); [first] = waiting) {
      waiting.shift();
      first.enter();
    }
  }

  /** Takes all files at once, so that two queries never wait for each other. */
  async function enter(files: readonly CachedFile[], signal: AbortSignal): Promise<Taken> {
    if (waiting.length === 0 && fits(files)) return takeAll(files);
    const { promise, resolve } = Promise.withResolvers<Taken>();
    const waiter = { files, enter: () => resolve(takeAll(files)) };
    waiting.push(waiter);
    try {
      return await withSignal(signal, promise);
    } catch (error) {
      const place = waiting.indexOf(waiter);
      if (place >= 0) waiting.splice(place, 1);
      else void promise.then(({ held }) => release(held));
      admit();
      throw error;
    }
  }

  async function makeRoom(): Promise<void> {
    for (const [key, entry] of entries) {
      if (total <= maxBytes) return;
      if (entry.users === 0) await forget(key, entry);
    }
  }

  /** Deletes up to `bytes` of unused files, the least recently used first. */
  async function freeBytes(bytes: number): Promise<boolean> {
    let freed = 0;
    for (const [key, entry] of entries) {
      if (freed >= bytes) break;
      if (entry.users > 0) continue;
      freed += entry.bytes;
      await forget(key, entry);
    }
    return freed > 0;
  }

  /** Frees space and retries when the disk is full: it may be smaller than the cache, or shared. */
  async function downloadFreeing(key: string, { path, bytes }: Pick<Entry, 'path' | 'bytes'>): Promise<void> {
    try {
      await download(key, path);
    } catch (cause) {
      if (!isDiskFull(cause)) throw cause;
      await rm(path, { force: true });
      if (!(await freeBytes(bytes))) throw new DiskFull(`No space for ${bytes} bytes.`, { cause });
      await downloadFreeing(key, { path, bytes });
    }
  }

  async function letGo(key: string, entry: Entry): Promise<void> {
    entry.users--;
    if (entry.users > 0) return;
    inUse -= entry.bytes;
    try {
      if (!entry.stays) await forget(key, entry);
    } finally {
      admit();
    }
  }

  async function release(held: ReadonlyMap<string, Entry>): Promise<void> {
    for (const [key, entry] of held) await letGo(key, entry);
    await makeRoom();
  }

  async function fill(key: string, entry: Entry): Promise<void> {
    entry.users++;
    try {
      await downloadFreeing(key, entry);
      entry.stays = entries.get(key) === entry;
      entry.ready.resolve();
    } catch (error) {
      if (entries.get(key) === entry) entries.delete(key);
      entry.ready.reject(error);
    } finally {
      await letGo(key, entry).catch(() => undefined);
    }
  }

  function downloadAll(missing: readonly [string, Entry][]): void {
    const left = missing.values();
    const worker = async () => {
      for (const [key, entry] of left) if (entry.users > 0) await fill(key, entry);
    };
    void Promise.all(Array.from({ length: MAX_DOWNLOADS }, worker));
  }

  async function drop(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      const entry = entries.get(key);
      if (entry === undefined) continue;
      entry.stays = false;
      entries.delete(key);
      if (entry.users === 0) await forget(key, entry);
    }
  }

  return {
    async start() {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
    },

    async hold(files, signal) {
      const needed = bytesOf(files);
      if (needed > maxBytes) throw new TooManyBytes(`${needed} bytes`);
      signal.throwIfAborted();
      const { held, missing } = await enter(files, signal);
      // The query may have given up before that.
      for (const [, { ready }] of missing) ready.promise.catch(() => undefined);
      // Does not wait for a file that cannot be deleted.
      const freed = () => release(held).catch(() => undefined);
      try {
        await makeRoom().catch(() => undefined);
        downloadAll(missing);
        await withSignal(signal, Promise.all([...held.values()].map(({ ready }) => ready.promise)));
      } catch (error) {
        await freed();
        throw error;
      }
      return {
        files: [...held].map(([key, { bytes, path }]) => ({ key, bytes, path })),
        async check() {
          const found = await Promise.all(
            [...held].map(async ([key, { path }]) => ({ key, isThere: await isFile(path) })),
          );
          const gone = found.filter(({ isThere }) => !isThere).map(({ key }) => key);
          if (gone.length === 0) return;
          await drop(gone);
          throw new FileGone(`${gone.length} copies are missing on the disk.`);
        },
        release: () => void freed(),
      };
    },

    keys: () => [...entries.keys()],
    reads: () => reads,

    drop,
  };
}

const bytesOf = (files: readonly CachedFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0);

export const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
