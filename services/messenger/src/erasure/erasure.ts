import type { ErasedPerson, Eraser } from '@switchboard/directory';
import { deleteBelow, type ObjectStore } from '@switchboard/object-store';
import type { PersonIds } from '@switchboard/person-ids';
import { attachmentsPrefix } from '../attachments/object-key.ts';
import { avatarObjectKey, avatarsPrefix } from '../team/avatar-path.ts';
import type { ErasureStore } from './store.ts';

const BATCH_SIZE = 100;
const ROWS_AT_ONCE = 10_000;

interface ErasureOptions {
  store: ErasureStore;
  personIds: Pick<PersonIds, 'remove' | 'removeProject'>;
  /** Undefined if none is configured. */
  storage: Pick<ObjectStore, 'delete' | 'list'> | undefined;
}

/**
 * Erases a person's conversations with their files and their inbox, a colleague from teams, all data of a
 * deleted project, and the counts of a deleted company.
 */
export function createErasure({ store, personIds, storage }: ErasureOptions): Eraser {
  function requireStorage() {
    if (storage === undefined) throw new Error('cannot erase files: no object store is configured');
    return storage;
  }

  async function removeObjects(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const objects = requireStorage();
    for (const key of keys) await objects.delete(key);
  }

  async function eraseConversations(person: ErasedPerson, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const ids = await store.findConversations(person, BATCH_SIZE);
      if (ids.length === 0) return;
      const keys = await store.findObjects(ids);
      // Objects first, because a retry finds them through the rows.
      await removeObjects(keys);
      await store.removeConversations(ids, keys);
    }
  }

  return {
    async erasePerson(person, signal) {
      await eraseConversations(person, signal);
      await store.removeInbox(person);
      const { projectId, distinctIds } = person;
      await personIds.remove(distinctIds.map((distinctId) => ({ projectId, distinctId })));
      return [];
    },

    async eraseColleague(sub) {
      const own = await store.findOwnAvatars(sub);
      await removeObjects(own.map(({ projectId, file }) => avatarObjectKey(projectId, file)));
      await store.removeTeammate(sub);
    },

    async eraseProject(projectId, signal) {
      // Objects first, because a retry looks for them only if there are rows of files.
      if (await store.hasFiles(projectId)) {
        for (const prefix of [attachmentsPrefix(projectId), avatarsPrefix(projectId)])
          await deleteBelow(requireStorage(), prefix, signal);
      }
      while ((await store.removeOfProject(projectId, ROWS_AT_ONCE)) > 0) signal.throwIfAborted();
      await personIds.removeProject(projectId, signal);
    },

    eraseCompany: store.removeCompany,
  };
}
