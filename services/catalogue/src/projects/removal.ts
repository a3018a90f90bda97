import type { Tx } from '@switchboard/database';
import { directoryTombstone } from '@switchboard/directory';
import type { Beginnings } from '../erasures/beginnings.ts';
import type { Announce } from '../outbox/outbox.ts';
import { tokenRecord, tokenTombstones } from '../tokens/record.ts';
import { createTokensStore } from '../tokens/store.ts';
import { createProjectsStore } from './store.ts';

/** The maximum number of entries of a kind that one transaction removes and announces. */
export const ENTRIES_PER_STEP = 500;

interface RemovalOptions {
  announce: Announce;
  beginnings: Pick<Beginnings, 'beginEverywhere'>;
}

/**
 * Runs one step of removing locked projects: removes up to `ENTRIES_PER_STEP` of their keys and reports, then
 * the projects without any, and begins the erasure of those.
 */
export async function removeProjects(
  tx: Tx,
  ids: string[],
  { announce, beginnings }: RemovalOptions,
): Promise<void> {
  if (ids.length === 0) return;
  const { keys, reports, projects } = await createProjectsStore(tx).removeSome(ids, ENTRIES_PER_STEP);
  announce(keys.map((key) => directoryTombstone('key', key)));
  announce(reports.map(({ projectId, id }) => directoryTombstone('report', projectId, id)));
  announce(projects.map(({ id }) => directoryTombstone('project', id)));
  const tokens = await createTokensStore(tx).leaveProjects(projects.map(({ id }) => id));
  announce(tokens.changed.map(tokenRecord));
  announce(tokenTombstones(tokens.removed));
  await beginnings.beginEverywhere(
    tx,
    announce,
    projects.map(({ id: projectId }) => ({ kind: 'project', projectId })),
    projects.map(({ region }) => region),
  );
}
