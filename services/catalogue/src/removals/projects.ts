import type { Db, Transactor, Tx } from '@switchboard/database';
import { directoryTombstone } from '@switchboard/directory';
import { createPersonIds } from '@switchboard/person-ids';
import type { Beginnings } from '../erasures/beginnings.ts';
import type { Announce, Outbox } from '../outbox/outbox.ts';
import { createProjectsStore } from '../projects/store.ts';
import { tokenRecord, tokenTombstones } from '../records/tokens.ts';
import { createTokensStore } from '../tokens/store.ts';
import { createRemovalsStore } from './store.ts';

/** The maximum number of entries of a kind that one transaction removes and announces. */
export const ENTRIES_PER_STEP = 500;

/** Deletes projects and everything that belongs to them, in steps of one transaction each. */
export interface ProjectRemovals {
  /**
   * Removes the project with its keys and reports, and starts its erasure in all services. Starts the erasure
   * again if the project was already removed.
   */
  remove(within: Transactor, id: string): Promise<void>;
}

interface RemovalsOptions {
  db: Db;
  outbox: Outbox;
  beginnings: Pick<Beginnings, 'beginEverywhere' | 'repeat'>;
}

export function createProjectRemovals({ db, outbox, beginnings }: RemovalsOptions): ProjectRemovals {
  return {
    async remove(change, id) {
      /** Runs one step. Returns false when the project is gone. */
      const step = (within: Transactor) =>
        outbox.change(within, async (tx, announce) => {
          if ((await createProjectsStore(tx).lock(id)) === undefined) {
            await beginnings.repeat(tx, announce, { kind: 'project', projectId: id });
            return false;
          }
          await removeProjects(tx, [id], { announce, beginnings });
          return true;
        });
      for (let isThere = await step(change); isThere; ) isThere = await step(db);
    },
  };
}

interface StepOptions {
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
  { announce, beginnings }: StepOptions,
): Promise<void> {
  if (ids.length === 0) return;
  const { keys, reports, projects } = await createRemovalsStore(tx).removeProjects(ids, ENTRIES_PER_STEP);
  announce(keys.map((key) => directoryTombstone('key', key)));
  announce(reports.map(({ projectId, id }) => directoryTombstone('report', projectId, id)));
  announce(projects.map(({ id }) => directoryTombstone('project', id)));
  const tokens = await createTokensStore(tx).leaveProjects(projects.map(({ id }) => id));
  announce(tokens.changed.map(tokenRecord));
  announce(tokenTombstones(tokens.removed));
  for (const { id } of projects) await createPersonIds(tx).removeProject(id);
  await beginnings.beginEverywhere(
    tx,
    announce,
    projects.map(({ id: projectId, companyId }) => ({
      subject: { kind: 'project', projectId },
      companyId,
    })),
    projects.map(({ region }) => region),
  );
}
