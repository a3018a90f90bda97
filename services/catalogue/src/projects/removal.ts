import { type DirectoryRecord, directoryTombstone } from '@switchboard/directory';
import type { Tx } from '../db.ts';
import { removeProjectRows } from './store.ts';

/** Removes locked projects with all that belongs to them; answers the tombstones of everything removed. */
export async function removeProjects(tx: Tx, ids: string[]): Promise<DirectoryRecord[]> {
  if (ids.length === 0) return [];
  const { keys, reports } = await removeProjectRows(tx, ids);
  return [
    ...keys.map((key) => directoryTombstone('key', key)),
    ...reports.map(({ projectId, id }) => directoryTombstone('report', projectId, id)),
    ...ids.map((id) => directoryTombstone('project', id)),
  ];
}
