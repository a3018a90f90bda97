import type { Tx } from '@switchboard/database';
import { type OnRemoved, projectsOfCompany } from '@switchboard/directory';
import type { FlagPath } from '../flags/edit-flag.ts';
import { createScheduledChangesStore } from './store.ts';

/** Fails the changes that a removed member scheduled by their role. A new membership does not restore them. */
export const failOfRemoved: OnRemoved = async (tx, removed) => {
  const store = createScheduledChangesStore(tx);
  for (const one of removed) {
    if (one.kind !== 'member') continue;
    const projects = await projectsOfCompany(tx, one.companyId, await store.projectsOf(one.sub));
    if (projects.length > 0)
      await store.failAllOf(one.sub, projects, 'The author of the change was removed from the company.');
  }
};

/** Fails the changes of a deleted flag. */
export const failOfDeleted = (tx: Tx, { projectId, key }: FlagPath): Promise<void> =>
  createScheduledChangesStore(tx).failAll(projectId, key, 'The flag was deleted.');
