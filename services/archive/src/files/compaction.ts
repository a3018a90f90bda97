import type { Database } from '@switchboard/database';
import type { ObjectStore } from '@switchboard/object-store';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger, Metrics } from '@switchboard/service-kit';
import { createEventErasure } from '../erasure/event-erasure.ts';
import type { Coverage } from './contents.ts';
import { mergeFiles } from './merge.ts';
import { coverageOf, type Merge, nextMerge } from './plan.ts';
import { FileGone, type OpenFile, openFile } from './read.ts';
import { deleteFiles, replaceFiles } from './rewrite.ts';
import { createFilesStore, type FilesStore, lockCompaction } from './store.ts';

interface CompactionOptions {
  database: Database;
  objects: ObjectStore;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
  /** How long a replaced file stays for those who are reading it. */
  replacedSeconds: number;
}

export interface Compaction {
  /** Returns at once. */
  start(): void;
  /** Gives up the files being merged. */
  stop(): Promise<void>;
}

const IDLE_MS = 15_000;
const BEAT_MS = 5_000;
/** Older days are as they were merged then. */
const DAYS = 9;
const MAX_FILES = 20_000;
/** Files of a day come until then after its end. */
const CLOSES_AFTER_MS = 30 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A project with as many rows of the files that are split gets its own. */
const LARGE_ROWS = 100_000;
const DELETED_AT_ONCE = 100;
/** Look-ups follow files from the first to the last for seven days. */
const REMEMBERED_DAYS = 9;
const ROWS_PER_STATEMENT = 5_000;

/**
 * Merges files, deletes those that were replaced a while ago, forgets them, and erases the events of projects. One
 * process at a time does so.
 */
export function createCompaction(options: CompactionOptions): Compaction {
  const { database, objects, clock, logger, metrics, replacedSeconds } = options;
  const store = createFilesStore(database.drizzle);
  const merged = metrics.counter(
    'switchboard_archive_files_merged_total',
    'Parquet files replaced by larger ones.',
  );
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** Under a lock, which saves work: a step that comes second has no effect. */
  async function workAlone(): Promise<void> {
    let beating: NodeJS.Timeout | undefined;
    try {
      await database.drizzle.transaction(async (tx) => {
        if (!(await lockCompaction(tx))) return;
        beating = setInterval(() => void lockCompaction(tx).catch(() => undefined), BEAT_MS);
        await work({ store, objects, clock, replacedSeconds, signal: stopping.signal, onMerged: merged.add });
      });
    } finally {
      clearInterval(beating);
    }
  }

  return {
    start() {
      running ??= poll(workAlone, {
        everyMs: IDLE_MS,
        signal: stopping.signal,
        onFailing(error) {
          if (!stopping.signal.aborted) logger.error({ error }, 'merging files failed, retrying');
        },
      });
    },
    async stop() {
      stopping.abort(new Error('stopped'));
      await running;
    },
  };
}

/** Of the files read and, in memory as well, of those written. */
const MERGE_BYTES = 32 * 1024 * 1024;

interface WorkOptions extends Pick<CompactionOptions, 'objects' | 'clock' | 'replacedSeconds'> {
  store: FilesStore;
  signal: AbortSignal;
  onMerged(files: number): void;
  /** Default 32 MiB. */
  mergeBytes?: number;
}

/** Does all that there is to do now. */
export async function work(options: WorkOptions): Promise<void> {
  const { store, objects, clock, replacedSeconds, signal, onMerged, mergeBytes = MERGE_BYTES } = options;
  const erasure = createEventErasure({ files: store, objects });
  for (let projectId = await store.projectToErase(); projectId !== undefined; ) {
    await erasure.erase({ projectId, distinctIds: 'all' }, signal);
    await store.markErased(projectId);
    projectId = await store.projectToErase();
  }
  for (;;) {
    const now = clock.now().getTime();
    const from = new Date(now - DAYS * DAY_MS).toISOString().slice(0, 10);
    const isClosed = (day: string) => Date.parse(day) + DAY_MS + CLOSES_AFTER_MS <= now;
    const merge = nextMerge(await store.readable(from, MAX_FILES), { isClosed, mergeBytes });
    if (merge === undefined) break;
    if (await carryOut(merge, { store, objects, signal })) onMerged(merge.files.length);
  }
  for (;;) {
    signal.throwIfAborted();
    const keys = await store.replacedBefore(replacedSeconds, DELETED_AT_ONCE);
    await deleteFiles(
      keys.map((key) => ({ key })),
      { store, objects },
    );
    if (keys.length < DELETED_AT_ONCE) break;
  }
  while ((await store.forget(REMEMBERED_DAYS, ROWS_PER_STATEMENT)) === ROWS_PER_STATEMENT);
}

/** False where one of the files was replaced meanwhile. */
async function carryOut(
  { files, buckets }: Merge,
  { store, objects, signal }: Pick<WorkOptions, 'store' | 'objects' | 'signal'>,
): Promise<boolean> {
  try {
    const opened: OpenFile[] = [];
    for (const file of files) {
      signal.throwIfAborted();
      const found = await openFile(objects, file);
      if (found === undefined) throw new FileGone(`${file.key} is not in the object store`);
      opened.push(found);
    }
    const [first] = files;
    if (first === undefined) return false;
    const { projectId, bucket, buckets: of } = first;
    const large = buckets > 1 ? await largeProjects(opened) : new Set();
    const coverage = (project: string): Coverage =>
      buckets > 1
        ? coverageOf(project, { buckets, isLarge: large.has(project) })
        : { projectId, bucket, buckets: of };
    const merged = await mergeFiles(opened, { coverageOf: coverage, signal });
    return await replaceFiles(files, merged, { store, objects, signal });
  } catch (error) {
    // An erasure replaced and deleted it; otherwise the next attempt fails again, and says so.
    if (error instanceof FileGone && (await isReplaced(files, store))) return false;
    throw error;
  }
}

async function isReplaced(files: Merge['files'], store: FilesStore): Promise<boolean> {
  const found = await store.find(files.map(({ key }) => key));
  return found.some((file) => file.isDeleted || file.replacedBy !== null);
}

async function largeProjects(files: readonly OpenFile[]): Promise<Set<string>> {
  const rows = new Map<string, number>();
  for (const file of files) {
    for await (const group of file.projects()) {
      for (const project of group) rows.set(project, (rows.get(project) ?? 0) + 1);
    }
  }
  return new Set([...rows].filter(([, count]) => count >= LARGE_ROWS).map(([project]) => project));
}
