import { bucketOf } from '@switchboard/contracts';
import type { ObjectStore } from '@switchboard/object-store';
import { pause } from '@switchboard/resilience';
import type { Threads } from '@switchboard/runtime/threads';
import { ANY_PROJECT } from '../rows/contents.ts';
import { formerFolder } from '../rows/file-keys.ts';
import { type FileCalls, type FileRef, refOf } from './calls.ts';
import type { Erased, MergeRule } from './merge.ts';
import { deleteFiles, replaceFiles } from './rewrite.ts';
import type { FilesStore, KnownFile } from './store.ts';

interface EventErasureOptions {
  files: Pick<FilesStore, 'existing' | 'prepare' | 'replace' | 'giveUp' | 'withReplaced' | 'markDeleted'>;
  objects: ObjectStore;
  threads: Pick<Threads<FileCalls>, 'use'>;
}

export interface EventErasure {
  /** Erases these rows from all files, even if files are being merged. Idempotent. */
  erase(erased: Erased, signal: AbortSignal): Promise<void>;
}

const FILES_PAGE_SIZE = 500;
const LOOK_AGAIN_MS = 200;
/** While files cannot be published, the erasure fails and is retried later. */
const MAX_PASSES = 50;

/** Erases rows from the Parquet files by replacing the affected files with ones without the rows. */
export function createEventErasure({ files, objects, threads }: EventErasureOptions): EventErasure {
  /** Repeats until a pass finds no unchecked file, because files may be merged during a pass. */
  async function eraseFiles(erased: Erased, signal: AbortSignal): Promise<void> {
    const clean = new Set<string>();
    for (let pass = 1; ; pass++) {
      let isDone = true;
      let isLeft = false;
      for await (const file of existingFiles(erased.projectId)) {
        signal.throwIfAborted();
        if (clean.has(file.key)) continue;
        isDone = false;
        if (await eraseFrom(file, erased, signal)) clean.add(file.key);
        else isLeft = true;
      }
      if (isDone) return;
      if (!isLeft) continue;
      if (pass === MAX_PASSES) throw new Error('replaced files are not published to archive-files yet');
      await pause(LOOK_AGAIN_MS, signal);
    }
  }

  async function* existingFiles(projectId: string): AsyncGenerator<KnownFile> {
    for (let after = ''; ; ) {
      const page = await files.existing({
        projectId,
        bucketOf: (buckets) => bucketOf(projectId, buckets),
        after,
        limit: FILES_PAGE_SIZE,
      });
      yield* page;
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.key;
    }
  }

  /** Returns false if the file must be checked again: it was just replaced, or the topic does not have it yet. */
  async function eraseFrom(file: KnownFile, erased: Erased, signal: AbortSignal): Promise<boolean> {
    if (!file.isRead && !file.isPublished) return false;
    const isWhole = erased.distinctIds === 'all' && file.projectId === erased.projectId;
    const isAffected =
      isWhole || (await threads.use((thread) => thread.hasErased(refOf(file), erased), signal));
    if (isAffected === false) return true;
    if (file.isRead) {
      if (isAffected === undefined) return true;
      const { projectId, bucket, buckets } = file;
      const merged = isWhole
        ? []
        : await rewrite(file, { to: { projectId, bucket, buckets }, erased }, signal);
      if (merged === undefined || !(await replaceFiles([file], merged, { store: files, objects, signal })))
        return false;
    } else if (file.replacedBy === null) {
      // The row of the file stays for a while, so that an object written late is deleted as well.
      if (!(await files.giveUp(file.key))) return false;
      await objects.delete(file.key);
      return true;
    }
    // Readers of the topic without its record would not know what it replaced.
    if (!file.isPublished) return false;
    await deleteFiles([file], { store: files, objects });
    return true;
  }

  /** One file at a time. Files from before files had many projects are not in the table of files. */
  async function eraseFormerFiles(erased: Erased, signal: AbortSignal): Promise<void> {
    const { projectId } = erased;
    for await (const { key, size } of objects.list(formerFolder(projectId))) {
      signal.throwIfAborted();
      const file = { key, bytes: size };
      if (!key.endsWith('.parquet')) continue;
      if ((await threads.use((thread) => thread.hasErased(file, erased), signal)) !== true) continue;
      const merged = await rewrite(file, { to: { ...ANY_PROJECT, projectId }, erased }, signal);
      if (merged === undefined) continue;
      signal.throwIfAborted();
      const [rest] = merged;
      if (rest === undefined) await objects.delete(key);
      else await objects.put(key, rest.bytes);
    }
  }

  const rewrite = (file: FileRef, rule: MergeRule, signal: AbortSignal) =>
    threads.use((thread) => thread.merge([refOf(file)], rule), signal);

  return {
    async erase(erased, signal) {
      await eraseFiles(erased, signal);
      await eraseFormerFiles(erased, signal);
    },
  };
}
