import { createHash } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { noReads, type Reads } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { DuckDb } from '../engine/duckdb.ts';
import { type Sql, sql, text, texts } from '../engine/sql.ts';
import { type CachedFile, type FileCache, FileGone, type HeldFile, isFile } from '../files/cache.ts';

/** Returns the query of the rows that a question needs of a relation of events. */
export type RowsOf = (events: Sql) => Sql;

/** Writes the rows of a query to a file. */
export type SaveRows = (rows: Sql, path: string, signal: AbortSignal) => Promise<void>;

/** The rows of a question that are known for some files. */
export interface FoundRows {
  /** The files with the rows, and the keys of the files of events. */
  kept: { file: string; path: string }[];
  /** The files of events without known rows. Those without events of the project are left out once this is known. */
  rest: HeldFile[];
  /** The events of the project in these files, estimated for files that are not counted yet. */
  restEvents: number;
  /** Throws FileGone if rows were deleted externally. Forgets them, so that they are computed again. */
  check(): Promise<void>;
  release(): void;
}

export interface KeptRows {
  /** Empties the folder. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Finds the rows of files, until `release` is called. Rows that are missing are computed then. `save` is the way to write
   * them, as Parquet unless given. A query always has the same.
   */
  find(projectId: string, files: readonly HeldFile[], rowsOf: RowsOf, save?: SaveRows): FoundRows;
  /** Returns the keys of the files with kept rows. */
  keys(): string[];
  /** Deletes the rows of files. Rows in use are deleted once they are released. */
  drop(keys: readonly string[]): Promise<void>;
  /** Counts the files of questions so far, by whether their rows were kept. */
  reads(): Readonly<Reads>;
  bytes(): number;
  /** Waits until all missing rows are computed. */
  settled(): Promise<void>;
}

/** The rows of one question and file. */
interface Entry {
  file: string;
  path: string;
  bytes: number;
  /** The number of queries that use the rows. */
  users: number;
  isDropped: boolean;
}

/** A question with files to compute the rows of. */
interface Job {
  question: string;
  projectId: string;
  files: CachedFile[];
  rowsOf: RowsOf;
  save: SaveRows;
}

interface KeptRowsOptions {
  engine: Pick<DuckDb, 'query' | 'save' | 'unused'>;
  cache: Pick<FileCache, 'hold'>;
  /** A folder within the one that queries can read files from. */
  folder: string;
  maxBytes: number;
  /** The number of events of a project from which on the rows of a file are kept. */
  minEvents?: number;
  logger: Logger;
}

/** Fewer events are read as fast as their rows. */
const MIN_EVENTS = 5_000;
const MAX_JOBS = 100;
const MAX_COUNTS = 100_000;
/** The usual size of an event in a file. */
const BYTES_OF_EVENT = 30;

const countRows = z.array(z.object({ path: z.string(), events: z.number() }));

/**
 * Keeps what questions read of the archive's immutable files, so that a question asked again reads events of newer files
 * only. Missing rows are computed in the background, one file at a time and in turn for each question. The least recently
 * used are deleted first.
 */
export function createKeptRows({
  engine,
  cache,
  folder,
  maxBytes,
  minEvents = MIN_EVENTS,
  logger,
}: KeptRowsOptions): KeptRows {
  /** By question and file. */
  const entries = new Map<string, Entry>();
  /** By question. */
  const jobs = new Map<string, Job>();
  /** The number of events by project and file. */
  const counts = new LRUCache<string, number>({ max: MAX_COUNTS });
  const reads = noReads();
  const stopping = new AbortController();
  let working = Promise.resolve();
  let isWorking = false;
  /** The rows being computed, which may be dropped by then. */
  let making: Entry | undefined;
  let total = 0;
  let made = 0;

  async function remove(id: string, entry: Entry): Promise<void> {
    if (entries.get(id) === entry) entries.delete(id);
    total -= entry.bytes;
    await rm(entry.path, { force: true });
  }

  async function makeRoom(): Promise<void> {
    for (const [id, entry] of entries) {
      if (total <= maxBytes) return;
      if (entry.users === 0) await remove(id, entry);
    }
  }

  const isWorthKeeping = (projectId: string, { key }: CachedFile) =>
    (counts.get(`${projectId} ${key}`) ?? minEvents) >= minEvents;

  /** Counts the events of a project in files where their number is unknown. */
  async function count({ projectId, files }: Job): Promise<void> {
    const unknown = files.filter(({ key }) => !counts.has(`${projectId} ${key}`));
    if (unknown.length === 0) return;
    const held = await cache.hold(unknown, stopping.signal);
    try {
      const paths = held.files.map(({ path }) => path);
      const rows = await engine.query(
        sql`select filename as path, count(*)::double as events
          from read_parquet(${texts(paths)}, hive_partitioning = false, filename = true)
          where project_id = ${text(projectId)} group by filename`,
        stopping.signal,
      );
      const found = new Map(countRows.parse(rows).map(({ path, events }) => [path, events]));
      for (const { key, path } of held.files) counts.set(`${projectId} ${key}`, found.get(path) ?? 0);
    } finally {
      held.release();
    }
  }

  async function make({ question, rowsOf, save }: Job, file: CachedFile): Promise<void> {
    const id = idOf(question, file);
    if (entries.has(id)) return;
    const held = await cache.hold([file], stopping.signal);
    const entry = {
      file: file.key,
      path: join(folder, String(made++)),
      bytes: 0,
      users: 0,
      isDropped: false,
    };
    making = entry;
    try {
      await engine.unused();
      await save(rowsOf(rowsIn(held.files.map(({ path }) => path))), entry.path, stopping.signal);
      entry.bytes = (await stat(entry.path)).size;
    } catch (error) {
      await rm(entry.path, { force: true });
      throw error;
    } finally {
      making = undefined;
      held.release();
    }
    total += entry.bytes;
    if (entry.isDropped) await remove(id, entry);
    else entries.set(id, entry);
    await makeRoom();
  }

  async function work(): Promise<void> {
    for (let [job] = jobs.values(); job !== undefined && !stopping.signal.aborted; [job] = jobs.values()) {
      jobs.delete(job.question);
      try {
        await count(job);
        job.files = job.files.filter((file) => isWorthKeeping(job.projectId, file));
        const file = job.files.shift();
        if (file !== undefined) await make(job, file);
        // Behind the others.
        if (job.files.length > 0 && !jobs.has(job.question)) jobs.set(job.question, job);
      } catch (error) {
        if (!stopping.signal.aborted) logger.failed('keep rows of a file', error);
      }
    }
    isWorking = false;
  }

  function add(job: Job): void {
    if (jobs.size >= MAX_JOBS && !jobs.has(job.question)) return;
    jobs.set(job.question, job);
    if (isWorking) return;
    isWorking = true;
    working = work();
  }

  return {
    async start() {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
    },

    async stop() {
      stopping.abort(new Error('stopped'));
      await working;
    },

    find(projectId, files, rowsOf, save = engine.save) {
      const question = questionOf(rowsOf);
      const used: [string, Entry][] = [];
      const rest: HeldFile[] = [];
      const missing: CachedFile[] = [];
      let restEvents = 0;
      for (const file of files) {
        const id = idOf(question, file);
        const entry = entries.get(id);
        if (entry === undefined) {
          const events = counts.get(`${projectId} ${file.key}`) ?? file.bytes / BYTES_OF_EVENT;
          if (events === 0) continue;
          restEvents += events;
          rest.push(file);
          if (!isWorthKeeping(projectId, file)) continue;
          reads.misses++;
          missing.push(file);
          continue;
        }
        reads.hits++;
        entry.users++;
        // A Map keeps insertion order, so the first entry is the least recently used.
        entries.delete(id);
        entries.set(id, entry);
        used.push([id, entry]);
      }
      return {
        kept: used.map(([, { file, path }]) => ({ file, path })),
        rest,
        restEvents,
        async check() {
          const onDisk = await Promise.all(used.map(([, { path }]) => isFile(path)));
          const gone = used.filter((_, index) => onDisk[index] === false);
          for (const [id, entry] of gone) {
            if (entries.get(id) === entry) entries.delete(id);
            entry.isDropped = true;
          }
          if (gone.length > 0)
            throw new FileGone(`${gone.length} files of kept rows are missing on the disk.`);
        },
        release() {
          // Not before, because the query would run slower.
          if (missing.length > 0) add({ question, projectId, files: missing, rowsOf, save });
          for (const [id, entry] of used) {
            entry.users--;
            if (entry.users === 0 && entry.isDropped) void remove(id, entry).catch(() => undefined);
          }
        },
      };
    },

    keys: () => [...new Set([...entries.values(), ...(making ? [making] : [])].map(({ file }) => file))],

    async drop(keys) {
      const dropped = new Set(keys);
      if (making !== undefined && dropped.has(making.file)) making.isDropped = true;
      for (const [id, entry] of [...entries]) {
        if (!dropped.has(entry.file)) continue;
        entries.delete(id);
        entry.isDropped = true;
        if (entry.users === 0) await remove(id, entry);
      }
    },

    reads: () => reads,
    bytes: () => total,

    async settled() {
      while (isWorking) await working;
    },
  };
}

/** The query with its values identifies a question. */
export function questionOf(rowsOf: RowsOf): string {
  const { texts: parts, values } = rowsOf(sql`events`);
  return createHash('sha256')
    .update(JSON.stringify([parts, values]))
    .digest('base64');
}

const idOf = (question: string, { key }: CachedFile) => `${question} ${key}`;

/** Returns a relation of the rows in Parquet files. No part of a path becomes a column. */
export const rowsIn = (paths: readonly string[]): Sql =>
  sql`read_parquet(${texts(paths)}, hive_partitioning = false)`;
