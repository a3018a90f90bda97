import { type Database, runAlone } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger, Metrics } from '@switchboard/runtime';
import type { Threads } from '@switchboard/runtime/threads';
import type { FileCalls } from './calls.ts';
import { createDueMerges, type DueMerges } from './due-merges.ts';
import { createEventErasure } from './event-erasure.ts';
import { rebuildManifest } from './manifest-rebuild.ts';
import { mergeFiles } from './merging.ts';
import { deleteFiles } from './rewrite.ts';
import { createFilesStore, type FilesStore } from './store.ts';

interface CompactionOptions {
  database: Database;
  objects: ObjectStore;
  /** The threads that merge files. */
  threads: Pick<Threads<FileCalls>, 'use'>;
  clock: Clock;
  logger: Logger;
  metrics: Pick<Metrics, 'counter'>;
  log: Pick<EventLog, 'lag'>;
  /** The consumer group that writes events to files. */
  group: string;
  /** How long the topic `events` keeps a record, in hours. */
  retentionHours: number;
  /** How long a replaced file remains for its current readers, in seconds. */
  replacedSeconds: number;
}

export interface Compaction {
  /** Returns at once. */
  start(): void;
  /** Stops, and abandons the current merge. */
  stop(): Promise<void>;
}

/** How long merged files stay. A query that has listed them reads them within minutes. */
export const REPLACED_SECONDS = 3_600;
const IDLE_MS = 15_000;
const HOUR_MS = 60 * 60 * 1000;
/** Kafka may keep a record longer than its retention, by up to the age of a log file. */
const GRACE_HOURS = 31 * 24;
const DELETED_AT_ONCE = 100;
/** Look-ups follow files through merges for seven days. */
const REMEMBERED_DAYS = 9;
const ROWS_PER_STATEMENT = 5_000;

/**
 * Merges files, deletes files that were replaced a while ago and later their rows, and erases the events of
 * projects. Only one process does so at a time.
 */
export function createCompaction(options: CompactionOptions): Compaction {
  const { database, metrics, ...rest } = options;
  const store = createFilesStore(database.drizzle);
  const merged = metrics.counter(
    'switchboard_archive_files_merged_total',
    'Parquet files replaced by larger ones.',
  );
  const merges = createDueMerges({ store });
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  /** Takes a lock to save work. Correctness does not depend on it: a second step has no effect. */
  async function workAlone(): Promise<void> {
    const { signal } = stopping;
    await runAlone(database.drizzle, 'merge files', () =>
      work({ ...rest, store, signal, merges, onMerged: merged.add }),
    );
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

interface WorkOptions extends Omit<CompactionOptions, 'database' | 'metrics'> {
  store: FilesStore;
  signal: AbortSignal;
  /** Kept between calls. */
  merges: DueMerges;
  onMerged(files: number): void;
}

/** Does all pending work. A failure is logged, does not block other work, and is retried by the next call. */
export async function work(options: WorkOptions): Promise<void> {
  const { store, objects, logger, replacedSeconds, signal } = options;

  async function attempt<T>(task: string, step: () => Promise<T>, fields?: object): Promise<T | undefined> {
    try {
      return await step();
    } catch (error) {
      signal.throwIfAborted();
      logger.failed(task, error, fields);
      return undefined;
    }
  }

  const erasure = createEventErasure({ files: store, objects, threads: options.threads });
  const projects = await attempt('find projects to erase', store.projectsToErase);
  for (const projectId of projects ?? []) {
    const erase = async () => {
      await erasure.erase({ projectId, distinctIds: 'all' }, signal);
      await store.markErased(projectId);
    };
    await attempt('erase the events of a project', erase, { projectId });
  }
  const failed = await attempt('rebuild manifest', () => rebuild(options));
  // A file that is merged before the manifest has it would share rows with others.
  if (failed !== undefined) {
    await attempt('merge files', () => mergeFiles({ ...options, without: failed }));
  }
  await attempt('delete replaced files', () => deleteReplaced({ store, objects, replacedSeconds, signal }));
  await attempt('delete rows of deleted files', () => forget(store));
}

/** Rebuilds the manifest if requested, and returns the days on which it failed. */
async function rebuild(options: WorkOptions): Promise<ReadonlySet<string>> {
  const { store, clock, retentionHours } = options;
  if (!(await store.isRebuildWanted())) return new Set();
  const earliest = clock.now().getTime() - (retentionHours + GRACE_HOURS) * HOUR_MS;
  const isExpired = (timestamp: number) => timestamp < earliest;
  const failed = await rebuildManifest({ ...options, isExpired });
  if (failed.size === 0) await store.markRebuilt();
  return failed;
}

async function deleteReplaced({
  store,
  objects,
  replacedSeconds,
  signal,
}: Pick<WorkOptions, 'store' | 'objects' | 'replacedSeconds' | 'signal'>): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const keys = await store.replacedBefore(replacedSeconds, DELETED_AT_ONCE);
    const files = keys.map((key) => ({ key }));
    await deleteFiles(files, { store, objects });
    if (keys.length < DELETED_AT_ONCE) return;
  }
}

async function forget(store: FilesStore): Promise<void> {
  while ((await store.forget(REMEMBERED_DAYS, ROWS_PER_STATEMENT)) === ROWS_PER_STATEMENT);
}
