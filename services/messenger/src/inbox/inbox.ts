import type { InAppMessage, MessageDefinition, ReadReceipt } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Clock, RateLimit } from '@switchboard/service-kit';
import type { InboxStore } from './store.ts';

interface InboxOptions {
  store: InboxStore;
  limits: { perAddress: RateLimit; readsPerProject: RateLimit };
  clock: Clock;
}

export type Inbox = ReturnType<typeof createInbox>;

/** In-app messages to everyone of a project or to some of its people. */
export function createInbox({ store, limits, clock }: InboxOptions) {
  return {
    async list(projectId: string, address: string, distinctId: string): Promise<InAppMessage[]> {
      await limits.perAddress.consume(`${projectId}:${address}`);
      const rows = await store.list(projectId, distinctId);
      return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
    },

    /** False if the message is not in the person's inbox. */
    async markRead(
      projectId: string,
      address: string,
      { distinct_id, message_id }: ReadReceipt,
    ): Promise<boolean> {
      await limits.perAddress.consume(`${projectId}:${address}`);
      await limits.readsPerProject.consume(projectId);
      return store.markRead(projectId, distinct_id, message_id);
    },

    /** Returns the id of the message. */
    async send(
      projectId: string,
      { title, body, distinctIds }: MessageDefinition,
      idempotencyKey: string | undefined,
    ): Promise<string> {
      const id = newId('msg');
      return store.add({ id, projectId, title, body, distinctIds, idempotencyKey, createdAt: clock.now() });
    },
  };
}
