import type { Tx } from '@switchboard/database';
import { type DirectoryRecord, directoryTombstone } from '@switchboard/directory';
import { createProjectsStore } from './store.ts';

/** Removes locked projects with their keys and reports; returns the tombstones of everything removed. */
export async function removeProjects(tx: Tx, ids: string[]): Promise<DirectoryRecord[]> {
  if (ids.length === 0) return [];
  const { keys, reports } = await createProjectsStore(tx).remove(ids);
  return [
    ...keys.map((key) => directoryTombstone('key', key)),
    ...reports.map(({ projectId, id }) => directoryTombstone('report', projectId, id)),
    ...ids.map((id) => directoryTombstone('project', id)),
  ];
}
