import type { Db } from '@switchboard/database';
import { and, eq, ne } from 'drizzle-orm';
import { announce } from '../schema/announcements.ts';
import { ofVerifiedUser, sizeColumns, staffColumns } from '../schema/conversations.ts';
import { conversationMail, conversations } from '../schema/index.ts';
import type { ConversationRow, ConversationSize, StaffRow } from './rows.ts';

/** The mail address of a new conversation. */
interface NewContact {
  email: string;
  name: string | null;
  source: 'opening' | 'mail';
  language: string;
}

export interface NewConversation extends Omit<ConversationRow, 'visitorReadAt' | 'teammateReadAt'> {
  projectId: string;
  tokenHash: string;
  tokenExpiresAt: Date;
}

export interface ConversationsStore {
  /** Returns the number of conversations of a verified user that are not resolved. */
  countUnresolved(projectId: string, userId: string): Promise<number>;
  /** Adds a conversation. Does nothing if one with this id exists. */
  add(conversation: NewConversation, contact?: NewContact): Promise<void>;
  find(projectId: string, id: string): Promise<(StaffRow & ConversationSize) | undefined>;
}

export function createConversationsStore(db: Db): ConversationsStore {
  return {
    countUnresolved: (projectId, userId) =>
      db.$count(conversations, and(ofVerifiedUser(projectId, userId), ne(conversations.status, 'resolved'))),

    async add(conversation, contact) {
      await db.transaction(async (tx) => {
        const added = await tx
          .insert(conversations)
          .values(conversation)
          .onConflictDoNothing()
          .returning({ id: conversations.id });
        if (added.length > 0)
          await announce(tx, [{ ...conversation, type: 'conversation.opened', at: conversation.createdAt }]);
        if (contact === undefined) return;
        await tx
          .insert(conversationMail)
          .values({ ...contact, conversationId: conversation.id })
          .onConflictDoNothing();
      });
    },

    async find(projectId, id) {
      const [row] = await db
        .select({ ...staffColumns, ...sizeColumns })
        .from(conversations)
        .where(and(eq(conversations.projectId, projectId), eq(conversations.id, id)));
      return row;
    },
  };
}
