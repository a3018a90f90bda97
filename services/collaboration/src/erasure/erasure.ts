import type { Eraser } from '@switchboard/directory';
import type { Clock } from '@switchboard/runtime';
import type { RemovalsStore } from '../removals/store.ts';
import type { ErasureStore } from './store.ts';

interface ErasureOptions {
  store: ErasureStore;
  removals: Pick<RemovalsStore, 'removeOfProject'>;
  clock: Clock;
}

/** Erases the content of a colleague, recorded runs that name a person, and all data of a deleted project. */
export function createErasure({ store, removals, clock }: ErasureOptions): Eraser {
  return {
    async erasePerson({ projectId, distinctIds, userId }) {
      await store.removeRunsNaming(projectId, userId === null ? distinctIds : [...distinctIds, userId]);
      return [];
    },
    eraseColleague: (sub) => store.removeColleague(sub, clock.now()),
    eraseProject: removals.removeOfProject,
  };
}
