import type { Database } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger, Metrics } from '@switchboard/service-kit';
import { createEventErasure } from '../erasure/event-erasure.ts';
import { EVENTS_GROUP } from '../events/consumer.ts';
import { refOf } from '../threads/calls.ts';
import type { Threads } from '../threads/threads.ts';
import { adoptFiles } from './adoption.ts';
import { type Merge, nextMerge } from './plan.ts';
import { deleteFiles, replaceFiles } from './rewrite.ts';
import { createSetAside, type SetAside } from './set-aside.ts';
import { createFilesStore, type FilesStore, lockCompaction } from './store.ts';

interface CompactionOptions {
  database: Database;
  objects: ObjectStore;
  /** Merge files. */
  threads: Pick<Threads, 'use'>;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
  log: Pick<EventLog, 'lag'>;
  /** How long the topic `events` keeps a record. */
  retentionHours: number;
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
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Kafka may keep a record longer than its retention, by up to the age of a log file. */
const GRACE_HOURS = 31 * 24;
const DELETED_AT_ONCE = 100;
/** Look-ups follow files from the first to the last for seven days. */
const REMEMBERED_DAYS = 9;
const ROWS_PER_STATEMENT = 5_000;
/** After so many failures, of merges or of files of one, the fault may be elsewhere, and the rest waits. */
const MAX_FAILED = 5;

/**
 * Merges files, deletes those that were replaced a while ago, forgets them, and erases the events of projects. One
 * process at a time does so.
 */
export function createCompaction(options: CompactionOptions): Compaction {
  const { database, metrics, ...rest } = options;
  const store = createFilesStore(database.drizzle);
  const merged = metrics.counter(
    'switchboard_archive_files_merged_total',
    'Parquet files replaced by larger ones.',
  );
  const setAside = createSetAside();
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** Under a lock, which saves work: a step that comes second has no effect. */
  async function workAlone(): Promise<void> {
    let beating: NodeJS.Timeout | undefined;
    try {
      await database.drizzle.transaction(async (tx) => {
        if (!(await lockCompaction(tx))) return;
        beating = setInterval(() => void lockCompaction(tx).catch(() => undefined), BEAT_MS);
        const { signal } = stopping;
        await work({ ...rest, store, signal, setAside, onMerged: merged.add });
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
        onFailure(error) {
          if (!stopping.signal.aborted) rest.logger.failed('merge files', error);
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

interface WorkOptions extends Omit<CompactionOptions, 'database' | 'metrics'> {
  store: FilesStore;
  signal: AbortSignal;
  /** From one call to the next. */
  setAside: SetAside;
  onMerged(files: number): void;
  /** Default 32 MiB. */
  mergeBytes?: number;
}

/** Does all that there is to do now. */
export async function work(options: WorkOptions): Promise<void> {
  const { store, objects, threads, clock, logger, replacedSeconds, signal, setAside, onMerged } = options;
  const { mergeBytes = MERGE_BYTES } = options;
  const erasure = createEventErasure({ files: store, objects, threads });
  for (let projectId = await store.projectToErase(); projectId !== undefined; ) {
    await erasure.erase({ projectId, distinctIds: 'all' }, signal);
    await store.markErased(projectId);
    projectId = await store.projectToErase();
  }
  if (await store.isAdoptionWanted()) {
    const earliest = clock.now().getTime() - (options.retentionHours + GRACE_HOURS) * HOUR_MS;
    const isExpired = (timestamp: number) => timestamp < earliest;
    await adoptFiles({ ...options, group: EVENTS_GROUP, isExpired });
    await store.markAdopted();
  }
  let failed = 0;
  while (failed < MAX_FAILED) {
    const now = clock.now().getTime();
    const from = new Date(now - DAYS * DAY_MS).toISOString().slice(0, 10);
    const isClosed = (day: string) => Date.parse(day) + DAY_MS + CLOSES_AFTER_MS <= now;
    const files = setAside.without(await store.readable(from, MAX_FILES), now);
    const merge = nextMerge(files, { isClosed, mergeBytes });
    if (merge === undefined) break;
    try {
      if (await carryOut(merge, { store, objects, threads, signal })) onMerged(merge.files.length);
    } catch (error) {
      signal.throwIfAborted();
      const left = await unreadable(merge.files, { threads, signal });
      setAside.add(left, now);
      failed += 1;
      logger.failed('merge files', error, { keys: left.slice(0, MAX_FAILED).map(({ key }) => key) });
    }
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
  { store, objects, threads, signal }: Pick<WorkOptions, 'store' | 'objects' | 'threads' | 'signal'>,
): Promise<boolean> {
  const [first] = files;
  if (first === undefined) return false;
  const { projectId, bucket, buckets: of } = first;
  const to = buckets > 1 ? { split: buckets } : { projectId, bucket, buckets: of };
  const merged = await threads.use((thread) => thread.merge(files.map(refOf), { to }), signal);
  if (merged !== undefined) return await replaceFiles(files, merged, { store, objects, signal });
  // An erasure replaced and deleted it; otherwise it is set aside, and the log says so.
  if (await isReplaced(files, store)) return false;
  throw new Error(`a file of ${files.map(({ key }) => key).join(', ')} is not in the object store`);
}

/** The files of a merge that failed because of which it did; all where none or many cannot be read. */
async function unreadable(
  files: Merge['files'],
  { threads, signal }: Pick<WorkOptions, 'threads' | 'signal'>,
): Promise<Merge['files']> {
  const found: Merge['files'] = [];
  for (const file of files) {
    const survey = await threads
      .use((thread) => thread.survey(refOf(file)), signal)
      .catch(() => signal.throwIfAborted());
    if (survey === undefined) found.push(file);
    if (found.length === MAX_FAILED) break;
  }
  return found.length === 0 || found.length === MAX_FAILED ? files : found;
}

async function isReplaced(files: Merge['files'], store: FilesStore): Promise<boolean> {
  const found = await store.find(files.map(({ key }) => key));
  return found.some((file) => file.isDeleted || file.replacedBy !== null);
}
