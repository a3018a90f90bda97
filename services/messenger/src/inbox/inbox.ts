import type { InAppMessage, MessageDefinition, ReadReceipt } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Clock } from '@switchboard/service-kit';
import type { InboxStore } from './store.ts';

interface InboxOptions {
  store: InboxStore;
  clock: Clock;
}

export type Inbox = ReturnType<typeof createInbox>;

/** In-app messages to everyone of a project or to some of its people. */
export function createInbox({ store, clock }: InboxOptions) {
  return {
    async list(projectId: string, distinctId: string): Promise<InAppMessage[]> {
      const rows = await store.list(projectId, distinctId);
      return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
    },

    /** False if the message is not in the person's inbox. */
    markRead: (projectId: string, { distinct_id, message_id }: ReadReceipt): Promise<boolean> =>
      store.markRead(projectId, distinct_id, message_id),

    /** Returns the id of the message. */
    async send(projectId: string, { title, body, distinctIds }: MessageDefinition): Promise<string> {
      const id = newId('msg');
      await store.add({ id, projectId, title, body, distinctIds, createdAt: clock.now() });
      return id;
    },
  };
}
