import type { AttachmentType, AuthorKind, ConversationStatus, PageContext } from '@switchboard/contracts';
import { attachments, conversations, teammates, turns } from '../schema/index.ts';

export interface ConversationRow {
  id: string;
  distinctId: string;
  subject: string | null;
  status: ConversationStatus;
  userId: string | null;
  userVerified: boolean;
  createdAt: Date;
  lastTurnAt: Date;
}

export interface AttachmentRow {
  id: string;
  name: string;
  contentType: AttachmentType;
  bytes: number;
}

export interface TurnRow {
  id: string;
  position: number;
  authorKind: AuthorKind;
  authorId: string | null;
  /** As the project knows the teammate now. */
  authorName: string | null;
  avatarFile: string | null;
  body: string;
  pageContext: PageContext | null;
  createdAt: Date;
  attachments: AttachmentRow[];
}

export const conversationColumns = {
  id: conversations.id,
  distinctId: conversations.distinctId,
  subject: conversations.subject,
  status: conversations.status,
  userId: conversations.userId,
  userVerified: conversations.userVerified,
  createdAt: conversations.createdAt,
  lastTurnAt: conversations.lastTurnAt,
};

export const turnColumns = {
  id: turns.id,
  position: turns.position,
  authorKind: turns.authorKind,
  authorId: turns.authorId,
  authorName: teammates.name,
  avatarFile: teammates.avatarFile,
  body: turns.body,
  pageContext: turns.pageContext,
  createdAt: turns.createdAt,
};

export const attachmentColumns = {
  id: attachments.id,
  name: attachments.name,
  contentType: attachments.contentType,
  bytes: attachments.bytes,
};
