import type { ConversationRecord, ConversationStatus } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { bigserial, index, json, pgTable, text } from 'drizzle-orm/pg-core';
import { conversations } from './conversations.ts';

/** Records that wait to be published to the topic `conversations`. Their ids have the order of a conversation. */
export const unpublishedConversations = pgTable(
  'unpublished_conversations',
  {
    id: bigserial({ mode: 'bigint' }).primaryKey(),
    conversationId: text('conversation_id')
      .notNull()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    record: json().$type<ConversationRecord>().notNull(),
  },
  (table) => [index('unpublished_conversations_by_conversation').on(table.conversationId)],
);

interface Changed {
  id: string;
  projectId: string;
  at: Date;
  distinctId: string;
  userId: string | null;
  userVerified: boolean;
  subject: string | null;
  status: ConversationStatus;
}

interface WrittenTurn {
  type: 'conversation.turn';
  turnId: string;
  authorKind: 'visitor' | 'teammate';
  text: string;
}

/** A change of a conversation to publish. The row that it comes from may have more fields, which stay private. */
type Announcement = Changed & ({ type: 'conversation.opened' | 'conversation.resolved' } | WrittenTurn);

/**
 * Stores records to publish. The transaction must have locked the conversations, so that the records of each are in the
 * order of its changes.
 */
export async function announce(tx: Tx, announcements: readonly Announcement[]): Promise<void> {
  if (announcements.length === 0) return;
  await tx
    .insert(unpublishedConversations)
    .values(announcements.map((one) => ({ conversationId: one.id, record: recordOf(one) })));
}

/** Names each field, because a row has private ones. */
function recordOf(announcement: Announcement): ConversationRecord {
  const { id, projectId, at, distinctId, userId, userVerified, subject, status } = announcement;
  const person = { distinctId, userId, userVerified };
  const shared = { at: at.toISOString(), projectId, conversationId: id, ...person, subject, status };
  if (announcement.type !== 'conversation.turn') return { type: announcement.type, ...shared };
  const { type, turnId, authorKind, text } = announcement;
  return { type, ...shared, turnId, authorKind, text };
}
