import type { ObjectStore } from './types.ts';

const AT_ONCE = 16;

/** Deletes the objects with keys that begin with a prefix. Returns their number. */
export async function deleteBelow(
  objects: Pick<ObjectStore, 'list' | 'delete'>,
  prefix: string,
  signal?: AbortSignal,
): Promise<number> {
  let keys: string[] = [];
  let deleted = 0;
  const deleteAll = () => Promise.all(keys.map((key) => objects.delete(key)));
  for await (const { key } of objects.list(prefix)) {
    signal?.throwIfAborted();
    deleted += 1;
    keys.push(key);
    if (keys.length < AT_ONCE) continue;
    await deleteAll();
    keys = [];
  }
  await deleteAll();
  return deleted;
}
