import { bucketOf } from '@switchboard/contracts';
import type { ObjectStore } from '@switchboard/object-store';
import { formerFolder } from '../events/files.ts';
import { mergeFiles } from '../files/merge.ts';
import { FileGone, type OpenFile, openFile } from '../files/read.ts';
import { deleteFiles, replaceFiles } from '../files/rewrite.ts';
import type { FilesStore, KnownFile } from '../files/store.ts';

/** Whose rows are erased: those of these people, or of the whole project. */
export interface Erased {
  projectId: string;
  distinctIds: ReadonlySet<string> | 'all';
}

interface EventErasureOptions {
  files: Pick<FilesStore, 'existing' | 'prepare' | 'replace' | 'markDeleted'>;
  objects: ObjectStore;
}

export interface EventErasure {
  /** Leaves no file with these rows, whatever is merged meanwhile. Can be repeated. */
  erase(erased: Erased, signal: AbortSignal): Promise<void>;
}

const FILES_PAGE_SIZE = 500;

/** Erases rows from the Parquet files: files without them take the place of those that have them. */
export function createEventErasure({ files, objects }: EventErasureOptions): EventErasure {
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
    const opened = await openFile(objects, file);
    const isAffected = opened === undefined || (await hasRows(opened, erased));
    if (!isAffected) return true;
    // Replaced, or about to take the place of others, which it cannot any more.
    if (!file.isRead) {
      await deleteFiles([file], { store: files, objects });
      return true;
    }
    if (opened === undefined) return true;
    const merged = await mergeFiles([opened], {
      coverageOf: () => ({ projectId: file.projectId, bucket: file.bucket, buckets: file.buckets }),
      isErased: (event) => isErased(erased, event),
      signal,
    });
    if (!(await replaceFiles([file], merged, { store: files, objects, signal }))) return false;
    await deleteFiles([file], { store: files, objects });
    return true;
  }

  /** One file at a time: those of before files had many projects are not in the table of files. */
  async function eraseFormerFiles(erased: Erased, signal: AbortSignal): Promise<void> {
    const { projectId } = erased;
    for await (const { key, size } of objects.list(formerFolder(projectId))) {
      signal.throwIfAborted();
      const opened = key.endsWith('.parquet') ? await openFile(objects, { key, bytes: size }) : undefined;
      if (opened === undefined || !(await hasRows(opened, erased))) continue;
      const [rest] = await mergeFiles([opened], {
        coverageOf: () => ({ projectId, bucket: null, buckets: null }),
        isErased: (event) => isErased(erased, event),
        signal,
      });
      signal.throwIfAborted();
      if (rest === undefined) await objects.delete(key);
      else await objects.put(key, rest.bytes);
    }
  }

  return {
    async erase(erased, signal) {
      await eraseFiles(erased, signal);
      await eraseFormerFiles(erased, signal);
    },
  };
}

function isErased(
  { projectId, distinctIds }: Erased,
  event: { projectId: string; distinctId: string },
): boolean {
  return event.projectId === projectId && (distinctIds === 'all' || distinctIds.has(event.distinctId));
}

/** False for a file that was deleted meanwhile. */
async function hasRows(file: OpenFile, { projectId, distinctIds }: Erased): Promise<boolean> {
  try {
    return await file.hasRows(
      projectId,
      (distinctId) => distinctIds === 'all' || distinctIds.has(distinctId),
    );
  } catch (error) {
    if (error instanceof FileGone) return false;
    throw error;
  }
}
