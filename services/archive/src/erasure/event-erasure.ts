import { bucketOf } from '@switchboard/contracts';
import type { ObjectStore } from '@switchboard/object-store';
import { formerFolder } from '../events/file-keys.ts';
import { ANY_PROJECT } from '../files/contents.ts';
import type { Erased, MergeRule } from '../files/merge.ts';
import { deleteFiles, replaceFiles } from '../files/rewrite.ts';
import type { FilesStore, KnownFile } from '../files/store.ts';
import { type FileRef, refOf } from '../threads/calls.ts';
import type { Threads } from '../threads/threads.ts';

interface EventErasureOptions {
  files: Pick<FilesStore, 'existing' | 'prepare' | 'replace' | 'markDeleted'>;
  objects: ObjectStore;
  threads: Pick<Threads, 'use'>;
}

export interface EventErasure {
  /** Leaves no file with these rows, whatever is merged meanwhile. Can be repeated. */
  erase(erased: Erased, signal: AbortSignal): Promise<void>;
}

const FILES_PAGE_SIZE = 500;

/** Erases rows from the Parquet files: files without them take the place of those that have them. */
export function createEventErasure({ files, objects, threads }: EventErasureOptions): EventErasure {
  /** Until no file is found that was not looked at: files may be merged meanwhile. */
  async function eraseFiles(erased: Erased, signal: AbortSignal): Promise<void> {
    const clean = new Set<string>();
    for (let isDone = false; !isDone; ) {
      isDone = true;
      for await (const file of existingFiles(erased.projectId)) {
        signal.throwIfAborted();
        if (clean.has(file.key)) continue;
        isDone = false;
        if (await eraseFrom(file, erased, signal)) clean.add(file.key);
      }
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

  /** False if the file was replaced meanwhile: then it has to be looked at again. */
  async function eraseFrom(file: KnownFile, erased: Erased, signal: AbortSignal): Promise<boolean> {
    const isAffected = await threads.use((thread) => thread.hasErased(refOf(file), erased), signal);
    if (isAffected === false) return true;
    // Replaced, or about to take the place of others, which it cannot any more.
    if (!file.isRead) {
      await deleteFiles([file], { store: files, objects });
      return true;
    }
    if (isAffected === undefined) return true;
    const { projectId, bucket, buckets } = file;
    const merged = await rewrite(file, { to: { projectId, bucket, buckets }, erased }, signal);
    if (merged === undefined || !(await replaceFiles([file], merged, { store: files, objects, signal })))
      return false;
    await deleteFiles([file], { store: files, objects });
    return true;
  }

  /** One file at a time: those of before files had many projects are not in the table of files. */
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
