import type { ObjectStore } from '@switchboard/object-store';
import type { Clock, Logger } from '@switchboard/runtime';
import type { Threads } from '@switchboard/runtime/threads';
import { type FileCalls, refOf } from './calls.ts';
import type { DueMerges } from './due-merges.ts';
import type { Merge } from './plan.ts';
import { replaceFiles } from './rewrite.ts';
import type { FilesStore } from './store.ts';

interface MergingOptions {
  store: FilesStore;
  objects: ObjectStore;
  /** The threads that merge files. */
  threads: Pick<Threads<FileCalls>, 'use'>;
  merges: DueMerges;
  /** Days to leave unmerged. */
  without: ReadonlySet<string>;
  clock: Clock;
  logger: Pick<Logger, 'failed'>;
  /** Aborts the call with an exception. */
  signal: AbortSignal;
  onMerged(files: number): void;
}

/** Further merges wait for the next call, so that other work is done in between. */
const MAX_MERGES = 100;
/**
 * After this number of failed merges, or unreadable files of one merge, the cause may be elsewhere, and the rest
 * waits.
 */
const MAX_FAILED = 5;

/** Carries out due merges. Files that fail to merge are excluded for a while. */
export async function mergeFiles(options: MergingOptions): Promise<void> {
  const { merges, without, clock, logger, signal, onMerged } = options;
  const now = () => clock.now().getTime();
  let [done, failed] = [0, 0];
  for await (const merge of merges.find({ now, without })) {
    try {
      if (await carryOut(merge, options)) onMerged(merge.files.length);
    } catch (error) {
      signal.throwIfAborted();
      const left = await unreadable(merge.files, options);
      merges.setAside(left);
      failed += 1;
      logger.failed('merge files', error, { keys: left.slice(0, MAX_FAILED).map(({ key }) => key) });
    }
    done += 1;
    if (done === MAX_MERGES || failed === MAX_FAILED) return;
  }
}

/** Returns false if one of the files has just been replaced. */
async function carryOut(
  { files, buckets }: Merge,
  { store, objects, threads, signal }: Pick<MergingOptions, 'store' | 'objects' | 'threads' | 'signal'>,
): Promise<boolean> {
  const [first] = files;
  if (first === undefined) return false;
  const { projectId, bucket, buckets: of } = first;
  const to = buckets > 1 ? { split: buckets } : { projectId, bucket, buckets: of };
  const merged = await threads.use((thread) => thread.merge(files.map(refOf), { to }), signal);
  if (merged !== undefined) return await replaceFiles(files, merged, { store, objects, signal });
  // An erasure replaced and deleted the file. Otherwise the error is logged and the file is set aside.
  if (await isReplaced(files, store)) return false;
  throw new Error(`one of the files ${files.map(({ key }) => key).join(', ')} is not in the object store`);
}

/** Returns the files that caused a merge to fail; all files if none or many are unreadable. */
async function unreadable(
  files: Merge['files'],
  { threads, signal }: Pick<MergingOptions, 'threads' | 'signal'>,
): Promise<Merge['files']> {
  const found: Merge['files'] = [];
  for (const file of files) {
    const scan = await threads
      .use((thread) => thread.scan(refOf(file)), signal)
      .catch(() => signal.throwIfAborted());
    if (scan === undefined) found.push(file);
    if (found.length === MAX_FAILED) break;
  }
  return found.length === 0 || found.length === MAX_FAILED ? files : found;
}

async function isReplaced(files: Merge['files'], store: FilesStore): Promise<boolean> {
  const found = await store.find(files.map(({ key }) => key));
  return found.some((file) => file.isDeleted || file.replacedBy !== null);
}
