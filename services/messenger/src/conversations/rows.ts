import type {
  AuthorKind,
  ConversationPriority,
  ConversationStatus,
  ImportedFrom,
  PageContext,
  TurnMail,
  UploadedAttachment,
} from '@switchboard/contracts';

/** The rows that the stores of conversations answer. */

export interface ConversationRow {
  id: string;
  distinctId: string;
  subject: string | null;
  status: ConversationStatus;
  userId: string | null;
  userVerified: boolean;
  createdAt: Date;
  lastTurnAt: Date;
  /** The times of the last turns that the visitor and a teammate have read. */
  visitorReadAt: Date | null;
  teammateReadAt: Date | null;
}

/** A conversation with the fields that only staff see. */
export interface StaffRow extends ConversationRow {
  assigneeId: string | null;
  teamId: string | null;
  priority: ConversationPriority;
  labelIds: string[];
  isSnoozed: boolean;
  snoozedUntil: Date | null;
  firstReplyAt: Date | null;
  resolvedAt: Date | null;
  /** When the visitor wrote the first turn without an answer. */
  waitingSince: Date | null;
  satisfactionScore: number | null;
  importedFrom: ImportedFrom | null;
}

/** A conversation in a list of a member. */
export interface SummaryRow extends StaffRow {
  lastTurn: { authorKind: AuthorKind; body: string } | null;
  /** Whether the member has not read the last turn. */
  isUnread: boolean;
}

/** The size of a conversation. The positions of its turns start at 1. */
export interface ConversationSize {
  id: string;
  turnCount: number;
  /** The bytes of the turns' texts in a response. */
  turnBytes: number;
}

/** A conversation, with the fields that show whether a reader has all of it and whether to renew its token. */
export interface ConversationState extends ConversationRow, ConversationSize {
  tokenExpiresAt: Date;
  /** Changes with the names and avatars of the project's teammates, because these are shown beside their turns. */
  teamVersion: string;
}

export interface TurnRow {
  id: string;
  position: number;
  authorKind: AuthorKind;
  authorId: string | null;
  /** The current name and avatar in the project's team. An imported turn has the name in the other product. */
  authorName: string | null;
  avatarFile: string | null;
  body: string;
  pageContext: PageContext | null;
  /** How the turn came by mail. */
  mail: TurnMail | null;
  createdAt: Date;
  attachments: UploadedAttachment[];
}
