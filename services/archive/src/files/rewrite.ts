import { randomUUID } from 'node:crypto';
import type { ObjectStore } from '@switchboard/object-store';
import type { Merged } from './merge.ts';
import type { FilesStore, KnownFile } from './store.ts';

interface RewriteOptions {
  store: Pick<FilesStore, 'prepare' | 'replace' | 'withReplaced' | 'markDeleted'>;
  objects: Pick<ObjectStore, 'put' | 'delete'>;
  /** Aborts the call with an exception. */
  signal: AbortSignal;
}

/**
 * Replaces files of one day by new ones, for all readers at once. Returns false without changing anything if one of
 * the old files has already been replaced.
 */
export async function replaceFiles(
  replaced: readonly KnownFile[],
  merged: readonly Merged[],
  { store, objects, signal }: RewriteOptions,
): Promise<boolean> {
  const id = randomUUID();
  const day = replaced[0]?.day ?? '';
  // A project's own file comes first, because the file of its bucket also hides the old files for that project.
  const inOrder = [...merged].sort((one, other) => rank(one) - rank(other));
  const written = inOrder.map(({ coverage, contents, bytes }, index) => ({
    bytes,
    file: {
      ...coverage,
      ...contents,
      key: `events/${day}/merged-${id}-${index}.parquet`,
      day,
      bytes: bytes.length,
    },
  }));
  const files = written.map(({ file }) => file);
  const step = { id, replaced: replaced.map(({ key }) => key), files };
  await store.prepare(step);
  for (const { file, bytes } of written) {
    signal.throwIfAborted();
    await objects.put(file.key, bytes);
  }
  signal.throwIfAborted();
  if (await store.replace(step)) return true;
  await deleteFiles(step.files, { store, objects });
  return false;
}

/** Deletes objects and publishes their deletion. Includes files that only these hide from readers. */
export async function deleteFiles(
  files: readonly { key: string }[],
  { store, objects }: DeleteOptions,
): Promise<void> {
  const keys = await store.withReplaced(files.map(({ key }) => key));
  for (const key of keys) await objects.delete(key);
  await store.markDeleted(keys);
}

interface DeleteOptions {
  store: Pick<FilesStore, 'withReplaced' | 'markDeleted'>;
  objects: Pick<ObjectStore, 'delete'>;
}

function rank({ coverage }: Merged): number {
  return coverage.projectId === null ? 1 : 0;
}
