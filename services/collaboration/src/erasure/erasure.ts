import type { Eraser } from '@switchboard/directory';
import type { Clock } from '@switchboard/service-kit';
import type { ErasureStore } from './store.ts';

interface ErasureOptions {
  store: ErasureStore;
  clock: Clock;
}

/** Erases what a colleague wrote, recorded runs that name a person, and all of a deleted project. */
export function createErasure({ store, clock }: ErasureOptions): Eraser {
  return {
    erasePerson: ({ projectId, distinctIds, userId }) =>
      store.removeRunsNaming(projectId, userId === null ? distinctIds : [...distinctIds, userId]),
    eraseColleague: (sub) => store.removeColleague(sub, clock.now()),
    eraseProject: store.removeProject,
  };
}
