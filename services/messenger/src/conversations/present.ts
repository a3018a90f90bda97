import type { Conversation, ConversationSummary, OperatorConversation, Turn } from '@switchboard/contracts';
import { avatarPath } from '../team/avatar-path.ts';
import type { ConversationRow, TurnRow } from './store.ts';

export function presentTurn(conversationId: string, row: TurnRow): Turn {
  return {
    id: row.id,
    authorKind: row.authorKind,
    authorId: row.authorId,
    body: row.body,
    createdAt: row.createdAt.toISOString(),
    authorName: row.authorName,
    authorAvatarUrl:
      row.authorId === null || row.avatarFile === null ? null : avatarPath(row.authorId, row.avatarFile),
    attachments: row.attachments.map((attachment) => ({
      ...attachment,
      url: `/v1/conversations/${conversationId}/attachments/${attachment.id}`,
    })),
  };
}

export function presentSummary(row: ConversationRow): ConversationSummary {
  return {
    id: row.id,
    distinctId: row.distinctId,
    subject: row.subject,
    status: row.status,
    lastTurnAt: row.lastTurnAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
  };
}

export function presentConversation(row: ConversationRow, turns: TurnRow[]): Conversation {
  return { ...presentSummary(row), turns: turns.map((turn) => presentTurn(row.id, turn)) };
}

/** Includes the data that visitors do not see: the user and the page contexts. */
export function presentToOperator(row: ConversationRow, turns: TurnRow[]): OperatorConversation {
  return {
    ...presentSummary(row),
    userId: row.userId,
    userVerified: row.userVerified,
    turns: turns.map((turn) => ({ ...presentTurn(row.id, turn), pageContext: turn.pageContext })),
  };
}
