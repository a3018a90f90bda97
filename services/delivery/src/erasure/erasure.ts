import type { Eraser } from '@switchboard/directory';
import type { WebhooksStore } from '../webhooks/store.ts';
import type { ErasureStore } from './store.ts';

/** Erases messages that name a person or a colleague, and all data of a deleted project. */
export function createErasure(store: ErasureStore, webhooks: Pick<WebhooksStore, 'publishWatched'>): Eraser {
  return {
    async erasePerson({ projectId, distinctIds, userId }) {
      await store.removeNaming(projectId, userId === null ? distinctIds : [...distinctIds, userId]);
      return [];
    },
    eraseColleague: store.removeNamingEverywhere,
    async eraseProject(projectId) {
      await store.removeOfProject(projectId);
      await webhooks.publishWatched(projectId);
    },
  };
}
