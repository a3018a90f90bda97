import type { FlagEntry } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { type OnRemoved, projectsOfCompany } from '@switchboard/directory';
import { namesCohort } from '../cohorts/cohorts.ts';
import type { FlagPath } from '../flags/edit-flag.ts';
import { createChangeRequestsStore } from './store.ts';

/** Withdraws the requests of a removed member, and their approvals. A new membership does not restore them. */
export const withdrawOfRemoved: OnRemoved = async (tx, removed) => {
  const store = createChangeRequestsStore(tx);
  for (const one of removed) {
    if (one.kind !== 'member') continue;
    const projects = await projectsOfCompany(tx, one.companyId, await store.projectsOf(one.sub));
    if (projects.length > 0) await store.leave(one.sub, projects, 'The author was removed from the company.');
  }
};

/** Withdraws the requests of a flag that changed. */
export const withdrawOfEdited = (tx: Tx, { projectId, key }: FlagPath, flag: FlagEntry | undefined) =>
  createChangeRequestsStore(tx).withdrawAll(
    projectId,
    key,
    flag === undefined ? 'The flag was deleted.' : 'The flag changed.',
  );

/** Withdraws the requests that name a deleted cohort. */
export async function withdrawNaming(tx: Tx, projectId: string, cohortId: string): Promise<void> {
  const store = createChangeRequestsStore(tx);
  const naming = (await store.waiting(projectId)).filter(({ after }) => namesCohort(after ?? {}, cohortId));
  await store.close(
    naming.map(({ id }) => id),
    { as: 'withdrawn', by: null, note: `The cohort ${cohortId} was deleted.` },
  );
}
