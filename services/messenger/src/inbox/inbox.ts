import type { InAppMessage, MessageDefinition, ReadReceipt, SentMessage } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import {
  type AuditedChange,
  BadRequest,
  Conflict,
  decodePlace,
  encodePlace,
  NotFound,
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

const MAX_AHEAD_MS = 366 * 86_400_000;
const DUE_AT_ONCE = 20;

export type Inbox = ReturnType<typeof createInbox>;

/** Manages in-app messages to everyone in a project or to some of its people. */
export function createInbox({ store, personIds, limits, publisher, clock }: InboxOptions) {
  return {
    async list(projectId: string, address: string, distinctId: string): Promise<InAppMessage[]> {
      await limits.perAddress.consume(`${projectId}:${address}`);
      const rows = await store.list(projectId, await personIds.idsOf(projectId, distinctId), clock.now());
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
      return store.markRead(projectId, distinct_id, ids, message_id, clock.now());
    },

    async sent(
      projectId: string,
      { cursor, limit }: PageRequest,
    ): Promise<{ messages: SentMessage[]; nextCursor: string | null }> {
      const now = clock.now();
      const after = cursor === undefined ? undefined : decodePlace(cursor, 'msg');
      const found = await store.sent(projectId, { after, limit: limit + 1 });
      const { rows, nextCursor } = toPage(found, limit, ({ createdAt: at, id }) => encodePlace({ at, id }));
      return {
        messages: rows.map((row) => ({
          ...row,
          createdAt: row.createdAt.toISOString(),
          isScheduled: row.createdAt > now,
        })),
        nextCursor,
      };
    },

    /** Returns the id of the message. */
    async send(
      change: AuditedChange,
      projectId: string,
      { title, body, distinctIds, sendAt }: MessageDefinition,
      idempotencyKey: string | undefined,
    ): Promise<string> {
      const now = clock.now();
      const isWaiting = sendAt !== undefined && new Date(sendAt) > now;
      const createdAt = isWaiting ? new Date(sendAt) : now;
      if (createdAt.getTime() - now.getTime() > MAX_AHEAD_MS)
        throw new BadRequest('sendAt: more than 366 days ahead; schedule it later');
      const message = { id: newId('msg'), projectId, title, body, distinctIds, idempotencyKey };
      const announced = distinctIds && !isWaiting ? await store.idsOfAll(projectId, distinctIds) : undefined;
      const id = await store.add({ ...message, createdAt, isWaiting }, change);
      if (!isWaiting) void publisher.publishInbox(projectId, announced);
      return id;
    },

    /** Announces scheduled messages that became due. Returns whether there may be more. */
    async announceDue(): Promise<boolean> {
      const due = await store.takeDue(clock.now(), DUE_AT_ONCE);
      for (const { projectId, distinctIds } of due) {
        const announced = distinctIds && (await store.idsOfAll(projectId, distinctIds));
        await publisher.publishInbox(projectId, announced);
      }
      return due.length === DUE_AT_ONCE;
    },

    async cancel(change: AuditedChange, projectId: string, messageId: string): Promise<void> {
      const state = await store.cancel(projectId, messageId, clock.now(), change);
      if (state === undefined) throw new NotFound('Message not found.');
      if (state === 'sent') throw new Conflict('The message was already sent.');
    },
  };
}
