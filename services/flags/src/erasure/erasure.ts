import type { Eraser } from '@switchboard/directory';
import { createCohortRecordsStore } from '../cohort-records/store.ts';
import { type EditOptions, editRuleset } from '../rulesets/edit.ts';
import { createErasureStore } from './store.ts';

/** Erases the state of a person and their places in cohorts, and a colleague from the history of flags. */
export function createErasure(options: EditOptions): Eraser {
  return {
    async erasePerson({ projectId, distinctIds }) {
      await editRuleset(options, projectId, async (tx) => {
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
  };
}
