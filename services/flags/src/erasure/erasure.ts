import type { Eraser } from '@switchboard/directory';
import {
  createJoinsStore,
  eraseIds,
  executeOn,
  otherIdsOf,
  removeDecider,
  removeProjectJoins,
  removeProjectState,
} from '@switchboard/user-state';
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
      return editRuleset<string[]>(options.database.drizzle, options, projectId, async (tx) => {
        const joins = createJoinsStore(executeOn(tx));
        await joins.lockProjects(new Map([[projectId, true]]));
        // Ids that were joined since the request. The other services need them too.
        const found = await otherIdsOf(joins, projectId, distinctIds);
        if (found.length > 0) return { result: found, hasChanged: false };
        await eraseIds(joins, projectId, distinctIds);
        const store = createErasureStore(tx);
        const cohorts = await store.removeFromCohorts(projectId, distinctIds);
        await createCohortRecordsStore(tx).announce(projectId, cohorts);
        return { result: [], hasChanged: cohorts.length > 0 };
      });
    },

    async eraseColleague(sub) {
      await createErasureStore(options.database.drizzle).removeAuthor(sub);
      await removeDecider(options.database.drizzle, sub);
    },

    async eraseProject(projectId, signal) {
      await editRuleset(options.database.drizzle, options, projectId, async (tx) => {
        const cohorts = await createErasureStore(tx).removeRuleset(projectId);
        await createCohortRecordsStore(tx).announce(projectId, cohorts);
        return { result: undefined, hasChanged: true };
      });
      const { drizzle } = options.database;
      await removeProjectJoins(drizzle, projectId, signal);
      await removeProjectState(drizzle, projectId, signal);
      await createErasureStore(drizzle).removeLock(projectId);
    },
  };
}
