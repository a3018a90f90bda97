import type { ErasedPerson, Eraser } from '@switchboard/directory';
import type { ObjectStore } from '@switchboard/object-store';
import { avatarObjectKey } from '../team/avatar-path.ts';
import type { ErasureStore } from './store.ts';

const BATCH_SIZE = 100;

interface ErasureOptions {
  store: ErasureStore;
  /** Undefined if none is configured. */
  storage: Pick<ObjectStore, 'delete'> | undefined;
}

/** Erases a person's conversations with their files and their inbox, and a colleague's place in teams. */
export function createErasure({ store, storage }: ErasureOptions): Eraser {
  async function removeObjects(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    if (storage === undefined) throw new Error('there are files to erase and no object store is configured');
    for (const key of keys) await storage.delete(key);
  }

  async function eraseConversations(person: ErasedPerson, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const ids = await store.findConversations(person, BATCH_SIZE);
      if (ids.length === 0) return;
      const keys = await store.findObjects(ids);
      // Objects first: the rows are what a further attempt finds them by.
      await removeObjects(keys);
      await store.removeConversations(ids, keys);
    }
  }

  return {
    async erasePerson(person, signal) {
      await eraseConversations(person, signal);
      await store.removeInbox(person);
    },

    async eraseColleague(sub) {
      const own = await store.findOwnAvatars(sub);
      await removeObjects(own.map(({ projectId, file }) => avatarObjectKey(projectId, file)));
      await store.removeTeammate(sub);
    },
  };
}
