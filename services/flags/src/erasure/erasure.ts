import type { Eraser } from '@switchboard/directory';
import { removeProjectState } from '@switchboard/user-state';
import { createCohortRecordsStore } from '../cohort-records/store.ts';
import { type EditOptions, editRuleset } from '../rulesets/edit.ts';
import { createErasureStore } from './store.ts';

/**
 * Erases a person's state and cohort entries, a colleague from the history of flags, and all data of a deleted
 * project.
 */
export function createErasure(options: EditOptions): Eraser {
  return {
    async erasePerson({ projectId, distinctIds }) {
      await editRuleset(options.database.drizzle, options, projectId, async (tx) => {
        const store = createErasureStore(tx);
        await store.removePeople(projectId, distinctIds);
        const cohorts = await store.removeFromCohorts(projectId, distinctIds);
        await createCohortRecordsStore(tx).announce(projectId, cohorts);
        return { result: undefined, hasChanged: cohorts.length > 0 };
      });
    },

    async eraseColleague(sub) {
      await createErasureStore(options.database.drizzle).removeAuthor(sub);
    },

    async eraseProject(projectId, signal) {
      await editRuleset(options.database.drizzle, options, projectId, async (tx) => {
        const cohorts = await createErasureStore(tx).removeRuleset(projectId);
        await createCohortRecordsStore(tx).announce(projectId, cohorts);
        return { result: undefined, hasChanged: true };
      });
      const { drizzle } = options.database;
      await removeProjectState(drizzle, projectId, signal);
      await createErasureStore(drizzle).removeLock(projectId);
    },
  };
}
