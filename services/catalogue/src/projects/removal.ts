import type { Tx } from '@switchboard/database';
import { type DirectoryRecord, directoryTombstone } from '@switchboard/directory';
import { createProjectsStore } from './store.ts';

/** How many entries of a kind one transaction removes and announces. */
export const ENTRIES_PER_STEP = 500;

/**
 * A step of the removal of locked projects: up to `ENTRIES_PER_STEP` of their keys and reports, then those that have
 * none left. Returns the tombstones of everything removed.
 */
export async function removeProjects(tx: Tx, ids: string[]): Promise<DirectoryRecord[]> {
  if (ids.length === 0) return [];
  const { keys, reports, projects } = await createProjectsStore(tx).removeSome(ids, ENTRIES_PER_STEP);
  return [
    ...keys.map((key) => directoryTombstone('key', key)),
    ...reports.map(({ projectId, id }) => directoryTombstone('report', projectId, id)),
    ...projects.map((id) => directoryTombstone('project', id)),
  ];
}
