import type { Eraser } from '@switchboard/directory';
import { type EditOptions, editRuleset } from '../rulesets/edit.ts';
import { createErasureStore } from './store.ts';

/** Erases the state of a person and their places in cohorts, and a colleague from the history of flags. */
export function createErasure(options: EditOptions): Eraser {
  return {
    async erasePerson({ projectId, distinctIds }) {
      await editRuleset(options, projectId, async (tx) => {
        const store = createErasureStore(tx);
        await store.removePeople(projectId, distinctIds);
        return { result: undefined, hasChanged: await store.removeFromCohorts(projectId, distinctIds) };
      });
    },

    async eraseColleague(sub) {
      await createErasureStore(options.database.drizzle).removeAuthor(sub);
    },
  };
}
