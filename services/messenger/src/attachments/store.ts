import type { AttachmentType } from '@switchboard/contracts';
import { and, asc, eq, inArray, isNull, lt, not } from 'drizzle-orm';
import { type AttachmentRow, attachmentColumns } from '../conversations/rows.ts';
import type { Db } from '../db.ts';
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

export interface Leaving {
  id: string;
  objectKey: string;
}

export type AttachmentStore = ReturnType<typeof createAttachmentStore>;

export function createAttachmentStore(db: Db) {
  return {
    /** Before its object is stored. */
    async announce(row: NewAttachment): Promise<void> {
      await db.insert(attachments).values(row);
    },

    async markStored(id: string): Promise<void> {
      await db.update(attachments).set({ isStored: true }).where(eq(attachments.id, id));
    },

    async find(
      conversationId: string,
      id: string,
    ): Promise<(AttachmentRow & { objectKey: string }) | undefined> {
      const [row] = await db
        .select({ ...attachmentColumns, objectKey: attachments.objectKey })
        .from(attachments)
        .where(
          and(
            eq(attachments.id, id),
            eq(attachments.conversationId, conversationId),
            attachments.isStored,
            not(attachments.isLeaving),
          ),
        );
      return row;
    },

    /**
     * Marks unsent files from before then, so that no turn can take them any more. A turn that takes one at the same
     * moment holds its row, and the condition is looked at again when it lets go.
     */
    async takeLeave(before: Date, most: number): Promise<Leaving[]> {
      const unsent = and(isNull(attachments.turnPosition), lt(attachments.createdAt, before));
      const old = db
        .select({ id: attachments.id })
        .from(attachments)
        .where(unsent)
        .orderBy(asc(attachments.createdAt))
        .limit(most);
      return db
        .update(attachments)
        .set({ isLeaving: true })
        .where(and(inArray(attachments.id, old), unsent))
        .returning({ id: attachments.id, objectKey: attachments.objectKey });
    },

    /** After its object is gone. */
    async remove(id: string): Promise<void> {
      await db
        .delete(attachments)
        .where(and(eq(attachments.id, id), attachments.isLeaving, isNull(attachments.turnPosition)));
    },
  };
}
