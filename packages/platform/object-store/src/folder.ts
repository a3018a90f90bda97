import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ObjectStoreError } from './errors.ts';
import { assertKey, assertPrefix } from './keys.ts';
import type { ByteRange, ListedObject, ObjectStore } from './types.ts';

/** The folder of unfinished files. No key begins with a dot. */
const UNFINISHED = '.UNFINISHED';

/** Stores objects as files, for a single machine. Each is written to a temporary file, synced and renamed. */
export function openFolder(root: string): ObjectStore {
  const pathOf = (key: string) => {
    assertKey(key);
    return join(root, key);
  };

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    const path = pathOf(key);
    const temporary = join(root, UNFINISHED, randomUUID());
    try {
      await mkdir(dirname(temporary), { recursive: true });
      const file = await open(temporary, 'wx', 0o640);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await mkdir(dirname(path), { recursive: true });
      await rename(temporary, path);
      await syncFolder(dirname(path));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  async function get(key: string, range?: ByteRange) {
    const path = pathOf(key);
    const file = await open(path, 'r').catch(absentIsUndefined);
    if (file === undefined) return undefined;
    try {
      const { size } = await file.stat();
      if (range === undefined) return { size, body: file.createReadStream() };
      const end = Math.min(range.end, size);
      return { size: end - range.start, body: file.createReadStream({ start: range.start, end: end - 1 }) };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async function* walk(folder: string, prefix: string): AsyncGenerator<ListedObject> {
    const entries =
      (await readdir(join(root, folder), { withFileTypes: true }).catch(absentIsUndefined)) ?? [];
    const found = entries
      .filter(({ name }) => !name.startsWith('.'))
      .map((entry) => ({ key: `${folder}${entry.name}`, isFolder: entry.isDirectory() }))
      .map(({ key, isFolder }) => ({ key: isFolder ? `${key}/` : key, isFolder }))
      .filter(({ key, isFolder }) => key.startsWith(prefix) || (isFolder && prefix.startsWith(key)))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    for (const { key, isFolder } of found) {
      if (isFolder) {
        yield* walk(key, prefix);
        continue;
      }
      const stats = await stat(join(root, key)).catch(absentIsUndefined);
      if (stats !== undefined) yield { key, size: stats.size, modifiedAt: stats.mtime };
    }
  }

  return {
    put: (key, bytes) => orStoreError(`${key} could not be stored`, put(key, bytes)),
    get: (key, range) => orStoreError(`${key} could not be read`, get(key, range)),
    async *list(prefix) {
      assertPrefix(prefix);
      try {
        yield* walk('', prefix);
      } catch (cause) {
        throw new ObjectStoreError(`${prefix} could not be listed`, { cause });
      }
    },
    delete: (key) => orStoreError(`${key} could not be deleted`, rm(pathOf(key), { force: true })),
    async ping() {
      await orStoreError('the folder cannot be used', mkdir(root, { recursive: true }));
    },
    close: () => undefined,
  };
}

async function orStoreError<T>(message: string, action: Promise<T>): Promise<T> {
  try {
    return await action;
  } catch (cause) {
    if (cause instanceof RangeError) throw cause;
    throw new ObjectStoreError(message, { cause });
  }
}

/** Syncs a folder, because a rename is durable only after that. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function absentIsUndefined(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
    return undefined;
  }
  throw error;
}
