import type { InAppMessage, MessageDefinition, ReadReceipt, SentMessage } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import {
  type AuditedChange,
  decodePlace,
  encodePlace,
  type PageRequest,
  type RateLimit,
  toPage,
} from '@switchboard/http';
import type { PersonIds } from '@switchboard/person-ids';
import type { Clock } from '@switchboard/runtime';
import type { Publisher } from '../publishing/publisher.ts';
import type { InboxStore } from './store.ts';

interface InboxOptions {
  store: InboxStore;
  personIds: Pick<PersonIds, 'idsOf'>;
  limits: { perAddress: RateLimit; readsPerProject: RateLimit };
  publisher: Pick<Publisher, 'publishInbox'>;
  clock: Clock;
}

export type Inbox = ReturnType<typeof createInbox>;

/** Manages in-app messages to everyone in a project or to some of its people. */
export function createInbox({ store, personIds, limits, publisher, clock }: InboxOptions) {
  return {
    async list(projectId: string, address: string, distinctId: string): Promise<InAppMessage[]> {
      await limits.perAddress.consume(`${projectId}:${address}`);
      const rows = await store.list(projectId, await personIds.idsOf(projectId, distinctId));
      return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
    },

    /** Returns false if the message is not in the person's inbox. */
    async markRead(
      projectId: string,
      address: string,
      { distinct_id, message_id }: ReadReceipt,
    ): Promise<boolean> {
      await limits.perAddress.consume(`${projectId}:${address}`);
      await limits.readsPerProject.consume(projectId);
      const ids = await personIds.idsOf(projectId, distinct_id);
      return store.markRead(projectId, distinct_id, ids, message_id);
    },

    async sent(
      projectId: string,
      { cursor, limit }: PageRequest,
    ): Promise<{ messages: SentMessage[]; nextCursor: string | null }> {
      const after = cursor === undefined ? undefined : decodePlace(cursor, 'msg');
      const found = await store.sent(projectId, { after, limit: limit + 1 });
      const { rows, nextCursor } = toPage(found, limit, ({ createdAt: at, id }) => encodePlace({ at, id }));
      return {
        messages: rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() })),
        nextCursor,
      };
    },

    /** Returns the id of the message. */
    async send(
      change: AuditedChange,
      projectId: string,
      { title, body, distinctIds }: MessageDefinition,
      idempotencyKey: string | undefined,
    ): Promise<string> {
      const message = { id: newId('msg'), projectId, title, body, distinctIds, idempotencyKey };
      const announced = distinctIds && (await store.idsOfAll(projectId, distinctIds));
      const id = await store.add({ ...message, createdAt: clock.now() }, change);
      void publisher.publishInbox(projectId, announced);
      return id;
    },
  };
}
