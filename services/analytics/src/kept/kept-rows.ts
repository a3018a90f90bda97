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

/** The way to keep rows. */
export interface Keeping {
  /** Writes the rows of a query to a file. */
  save(rows: Sql, path: string, signal: AbortSignal): Promise<void>;
  /** The size of files of events with rows in one file too, once each has its own. Absent: none. */
  bytesTogether?: number;
}

/** The rows of a question that are known for some files. */
export interface FoundRows {
  /** The files with the rows, and the keys of the files of events. */
  kept: { files: readonly string[]; path: string }[];
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
   * Finds the rows of files, until `release` is called. Rows that are missing are computed then. They are kept by file as
   * Parquet, unless another way is given. A query always has the same.
   */
  find(projectId: string, files: readonly HeldFile[], rowsOf: RowsOf, keeping?: Keeping): FoundRows;
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

/** The rows of one question and some files. */
interface Entry {
  question: string;
  files: readonly string[];
  path: string;
  bytes: number;
  /** The number of queries that use the rows. */
  users: number;
  isDropped: boolean;
}

/** A question with files to compute the rows of, which are kept together for each group. */
interface Job {
  question: string;
  projectId: string;
  groups: CachedFile[][];
  rowsOf: RowsOf;
  keeping: Keeping;
}

interface KeptRowsOptions {
  engine: Pick<DuckDb, 'query' | 'save' | 'unused'>;
  cache: Pick<FileCache, 'hold'>;
  /** A folder within the one that queries can read files from. */
  folder: string;
  maxBytes: number;
  /** The number of events of a project from which on the rows of a file are kept. */
  minEvents?: number;
  /** The number of files from which on their rows are kept together. */
  minTogether?: number;
  logger: Logger;
}

/** Fewer events are read as fast as their rows. */
const MIN_EVENTS = 5_000;
/** Fewer files are read as fast. */
const MIN_TOGETHER = 8;
const MAX_JOBS = 100;
const MAX_COUNTS = 100_000;
/** The usual size of an event in a file. */
const BYTES_OF_EVENT = 30;

const countRows = z.array(z.object({ path: z.string(), events: z.number() }));

/**
 * Keeps what questions read of the archive's immutable files, so that a question asked again reads events of newer files
 * only. Missing rows are computed in the background, in turn for each question. The least recently
 * used are deleted first.
 */
export function createKeptRows({
  engine,
  cache,
  folder,
  maxBytes,
  minEvents = MIN_EVENTS,
  minTogether = MIN_TOGETHER,
  logger,
}: KeptRowsOptions): KeptRows {
  /** The least recently used first. */
  const entries = new Set<Entry>();
  /** By question and file, which may be in several. */
  const covering = new Map<string, Set<Entry>>();
  /** By question. */
  const jobs = new Map<string, Job>();
  /** The number of events by project and file. */
  const counts = new LRUCache<string, number>({ max: MAX_COUNTS });
  const byFile: Keeping = { save: engine.save };
  const reads = noReads();
  const stopping = new AbortController();
  let working = Promise.resolve();
  let isWorking = false;
  /** The rows being computed, which may be dropped by then. */
  let making: Entry | undefined;
  let total = 0;
  let made = 0;

  function add(entry: Entry): void {
    entries.add(entry);
    for (const file of entry.files) {
      const id = idOf(entry.question, file);
      covering.set(id, (covering.get(id) ?? new Set()).add(entry));
    }
  }

  function forget(entry: Entry): void {
    entries.delete(entry);
    for (const file of entry.files) {
      const id = idOf(entry.question, file);
      const all = covering.get(id);
      all?.delete(entry);
      if (all?.size === 0) covering.delete(id);
    }
  }

  async function remove(entry: Entry): Promise<void> {
    forget(entry);
    total -= entry.bytes;
    await rm(entry.path, { force: true });
  }

  async function makeRoom(): Promise<void> {
    for (const entry of entries) {
      if (total <= maxBytes) return;
      if (entry.users === 0) await remove(entry);
    }
  }

  /** Returns entries with different files of `keys`, the largest first for each file. */
  function chosenFor(question: string, keys: ReadonlySet<string>): Set<Entry> {
    const chosen = new Set<Entry>();
    const covered = new Set<string>();
    for (const key of keys) {
      if (covered.has(key)) continue;
      const [largest] = [...(covering.get(idOf(question, key)) ?? [])]
        .filter(({ files }) => files.every((file) => keys.has(file) && !covered.has(file)))
        .sort((one, other) => other.files.length - one.files.length);
      if (largest === undefined) continue;
      chosen.add(largest);
      for (const file of largest.files) covered.add(file);
    }
    return chosen;
  }

  const isWorthKeeping = (projectId: string, { key }: CachedFile) =>
    (counts.get(`${projectId} ${key}`) ?? minEvents) >= minEvents;

  /** Counts the events of a project in files where their number is unknown. */
  async function count({ projectId, groups }: Job): Promise<void> {
    const unknown = groups.flat().filter(({ key }) => !counts.has(`${projectId} ${key}`));
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

  async function make({ question, rowsOf, keeping }: Job, wanted: readonly CachedFile[]): Promise<void> {
    const files = wanted.map(({ key }) => key);
    const [known] = chosenFor(question, new Set(files));
    if (known?.files.length === files.length) return;
    const held = await cache.hold(wanted, stopping.signal);
    const entry = {
      ...{ question, files },
      path: join(folder, String(made++)),
      bytes: 0,
      users: 0,
      isDropped: false,
    };
    making = entry;
    try {
      await engine.unused();
      await keeping.save(rowsOf(rowsIn(held.files.map(({ path }) => path))), entry.path, stopping.signal);
      entry.bytes = (await stat(entry.path)).size;
    } catch (error) {
      await rm(entry.path, { force: true });
      throw error;
    } finally {
      making = undefined;
      held.release();
    }
    total += entry.bytes;
    if (entry.isDropped) await remove(entry);
    else add(entry);
    await makeRoom();
  }

  async function work(): Promise<void> {
    for (let [job] = jobs.values(); job !== undefined && !stopping.signal.aborted; [job] = jobs.values()) {
      jobs.delete(job.question);
      try {
        await count(job);
        job.groups = job.groups.filter((files) => files.every((file) => isWorthKeeping(job.projectId, file)));
        const files = job.groups.shift();
        if (files !== undefined) await make(job, files);
        // Behind the others.
        if (job.groups.length > 0 && !jobs.has(job.question)) jobs.set(job.question, job);
      } catch (error) {
        if (!stopping.signal.aborted) logger.failed('keep rows of a file', error);
      }
    }
    isWorking = false;
  }

  function begin(job: Job): void {
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

    find(projectId, files, rowsOf, keeping = byFile) {
      const question = questionOf(rowsOf);
      const used = chosenFor(question, new Set(files.map(({ key }) => key)));
      const covered = new Set([...used].flatMap((entry) => entry.files));
      const rest: HeldFile[] = [];
      const missing: CachedFile[] = [];
      let restEvents = 0;
      for (const file of files) {
        if (covered.has(file.key)) {
          reads.hits++;
          continue;
        }
        const events = counts.get(`${projectId} ${file.key}`) ?? file.bytes / BYTES_OF_EVENT;
        if (events === 0) continue;
        restEvents += events;
        rest.push(file);
        if (!isWorthKeeping(projectId, file)) continue;
        reads.misses++;
        missing.push(file);
      }
      for (const entry of used) {
        entry.users++;
        // A Set keeps the order of insertion.
        entries.delete(entry);
        entries.add(entry);
      }
      return {
        kept: [...used].map(({ files: own, path }) => ({ files: own, path })),
        rest,
        restEvents,
        async check() {
          const all = [...used];
          const onDisk = await Promise.all(all.map(({ path }) => isFile(path)));
          const gone = all.filter((_, index) => onDisk[index] === false);
          for (const entry of gone) {
            forget(entry);
            entry.isDropped = true;
          }
          if (gone.length > 0)
            throw new FileGone(`${gone.length} files of kept rows are missing on the disk.`);
        },
        release() {
          const groups =
            missing.length > 0
              ? missing.map((file) => [file])
              : together(used, files, keeping).filter(({ length }) => length >= minTogether);
          // Not before, because the query would run slower.
          if (groups.length > 0) begin({ question, projectId, groups, rowsOf, keeping });
          for (const entry of used) {
            entry.users--;
            if (entry.users === 0 && entry.isDropped) void remove(entry).catch(() => undefined);
          }
        },
      };
    },

    keys: () => [...new Set([...entries, ...(making ? [making] : [])].flatMap(({ files }) => files))],

    async drop(keys) {
      const dropped = new Set(keys);
      const isOld = ({ files }: Entry) => files.some((file) => dropped.has(file));
      if (making !== undefined && isOld(making)) making.isDropped = true;
      for (const entry of [...entries].filter(isOld)) {
        forget(entry);
        entry.isDropped = true;
        if (entry.users === 0) await remove(entry);
      }
    },

    reads: () => reads,
    bytes: () => total,

    async settled() {
      while (isWorking) await working;
    },
  };
}

/** Returns groups of the files that have rows of their own, in order. */
function together(
  used: ReadonlySet<Entry>,
  files: readonly HeldFile[],
  { bytesTogether = 0 }: Keeping,
): CachedFile[][] {
  const apart = new Set([...used].flatMap((entry) => (entry.files.length === 1 ? entry.files : [])));
  const groups: CachedFile[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const file of files) {
    if (!apart.has(file.key)) continue;
    bytes += file.bytes;
    if (bytes > bytesTogether) {
      groups.push([]);
      bytes = file.bytes;
    }
    groups.at(-1)?.push(file);
  }
  return groups;
}

/** The query with its values identifies a question. */
export function questionOf(rowsOf: RowsOf): string {
  const { texts: parts, values } = rowsOf(sql`events`);
  return createHash('sha256')
    .update(JSON.stringify([parts, values]))
    .digest('base64');
}

const idOf = (question: string, file: string) => `${question} ${file}`;

/** Returns a relation of the rows in Parquet files. No part of a path becomes a column. */
export const rowsIn = (paths: readonly string[]): Sql =>
  sql`read_parquet(${texts(paths)}, hive_partitioning = false)`;
