import type { Db, Tx } from '@switchboard/database';
import type { OutboxSource } from '@switchboard/outbox';
import { asc, type InferSelectModel, inArray } from 'drizzle-orm';
import { unpublishedConversations } from '../schema/index.ts';

/** The records that wait to be published, as an outbox. */
export type AnnouncementsStore = OutboxSource<InferSelectModel<typeof unpublishedConversations>>;

export function createAnnouncementsStore(db: Db | Tx): AnnouncementsStore {
  return {
    // An erasure waits for records that are being published. Records that an erasure removes are left out.
    oldest: (limit) =>
      db
        .select()
        .from(unpublishedConversations)
        .orderBy(asc(unpublishedConversations.id))
        .limit(limit)
        .for('update', { skipLocked: true }),
    async markPublished(rows) {
      const ids = rows.map(({ id }) => id);
      await db.delete(unpublishedConversations).where(inArray(unpublishedConversations.id, ids));
    },
  };
}
