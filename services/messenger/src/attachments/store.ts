import type { AttachmentType, UploadedAttachment } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, inArray, isNull, lt, not } from 'drizzle-orm';
import { attachments } from '../schema/index.ts';

export interface NewAttachment {
  id: string;
  conversationId: string;
  objectKey: string;
  name: string;
  contentType: AttachmentType;
  bytes: number;
  createdAt: Date;
}

export interface StoredAttachment extends UploadedAttachment {
  objectKey: string;
}

export interface ExpiredAttachment {
  id: string;
  objectKey: string;
}

export interface AttachmentsStore {
  /** Adds the row before its object is written, so that no object is ever without a row. */
  add(attachment: NewAttachment): Promise<void>;
  /** Marks an attachment as stored after its object has been written. It can then be sent and read. */
  markStored(id: string): Promise<void>;
  find(conversationId: string, id: string): Promise<StoredAttachment | undefined>;
  /** Marks up to `limit` unsent attachments created before `before` as expired, so that no turn can claim them. */
  expireUnsent(before: Date, limit: number): Promise<ExpiredAttachment[]>;
  /** Removes the row of an expired attachment, after its object. */
  removeExpired(id: string): Promise<void>;
}

export function createAttachmentsStore(db: Db | Tx): AttachmentsStore {
  return {
    async add(attachment) {
      await db.insert(attachments).values(attachment);
    },

    async markStored(id) {
      await db.update(attachments).set({ isStored: true }).where(eq(attachments.id, id));
    },

    async find(conversationId, id) {
      const [row] = await db
        .select({
          id: attachments.id,
          name: attachments.name,
          contentType: attachments.contentType,
          bytes: attachments.bytes,
          objectKey: attachments.objectKey,
        })
        .from(attachments)
        .where(
          and(
            eq(attachments.id, id),
            eq(attachments.conversationId, conversationId),
            attachments.isStored,
            not(attachments.isExpired),
          ),
        );
      return row;
    },

    async expireUnsent(before, limit) {
      const unsent = and(isNull(attachments.turnPosition), lt(attachments.createdAt, before));
      const oldest = db
        .select({ id: attachments.id })
        .from(attachments)
        .where(unsent)
        .orderBy(asc(attachments.createdAt))
        .limit(limit);
      return (
        db
          .update(attachments)
          .set({ isExpired: true })
          // Repeated outside the subquery, so that PostgreSQL checks it again if a turn claims a row concurrently.
          .where(and(inArray(attachments.id, oldest), unsent))
          .returning({ id: attachments.id, objectKey: attachments.objectKey })
      );
    },

    async removeExpired(id) {
      await db
        .delete(attachments)
        .where(and(eq(attachments.id, id), attachments.isExpired, isNull(attachments.turnPosition)));
    },
  };
}
