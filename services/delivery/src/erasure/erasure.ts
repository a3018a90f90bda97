import type { Eraser } from '@switchboard/directory';
import type { ErasureStore } from './store.ts';

/** Erases messages that name a person or a colleague, and all data of a deleted project. */
export function createErasure(store: ErasureStore): Eraser {
  return {
    async erasePerson({ projectId, distinctIds, userId }) {
      await store.removeNaming(projectId, userId === null ? distinctIds : [...distinctIds, userId]);
      return [];
    },
    eraseColleague: store.removeNamingEverywhere,
    eraseProject: store.removeOfProject,
  };
}
