import type { ExpiringData } from '@switchboard/database';
import type { ObjectStore } from '@switchboard/object-store';
import type { RetentionStore } from './store.ts';

interface RetentionOptions {
  store: RetentionStore;
  /** Undefined if none is configured. */
  storage: Pick<ObjectStore, 'delete'> | undefined;
  conversationDays: number | undefined;
  messageDays: number | undefined;
}

const MAX_CONCURRENT_DELETES = 16;
/** Days that byte counts are kept. A plan limits the bytes per month, so only the current month is read. */
const COUNTED_DAYS = 400;

/** Returns the data of the messenger that is removed because of its age. */
export function expiringData(options: RetentionOptions): ExpiringData[] {
  const { store, storage, conversationDays, messageDays } = options;

  async function removeObjects(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    if (storage === undefined) throw new Error('cannot remove files: no object store is configured');
    for (let start = 0; start < keys.length; start += MAX_CONCURRENT_DELETES) {
      const some = keys.slice(start, start + MAX_CONCURRENT_DELETES);
      await Promise.all(some.map((key) => storage.delete(key)));
    }
  }

  return [
    {
      kind: 'conversations',
      days: conversationDays,
      removeBefore: (time) => store.removeConversations(time, removeObjects),
      oldest: () => store.oldestConversation(),
    },
    {
      kind: 'messages',
      days: messageDays,
      removeBefore: (time) => store.removeMessages(time),
      oldest: () => store.oldestMessage(),
    },
    {
      kind: 'translated bytes',
      days: COUNTED_DAYS,
      removeBefore: (time) => store.removeTranslatedBytes(time.toISOString().slice(0, 7)),
      async oldest() {
        const month = await store.oldestTranslatedMonth();
        return month === undefined ? undefined : new Date(`${month}-01T00:00:00Z`);
      },
    },
  ];
}
