import type {
  Conversation,
  ConversationContact,
  ConversationHistoryEntry,
  ConversationNote,
  ConversationRating,
  ConversationSummary,
  OperatorConversation,
  Turn,
} from '@switchboard/contracts';
import { avatarPath } from '../team/avatar-path.ts';
import type { ConversationRow, StaffRow, SummaryRow, TurnRow } from './rows.ts';
import type { ContactRow, HistoryRow, NoteRow, RatingRow } from './staff.ts';

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

function presentToVisitor(row: ConversationRow): Omit<Conversation, 'turns'> {
  return {
    id: row.id,
    distinctId: row.distinctId,
    subject: row.subject,
    status: row.status,
    lastTurnAt: row.lastTurnAt.toISOString(),
    createdAt: row.createdAt.toISOString(),
    visitorReadAt: row.visitorReadAt?.toISOString() ?? null,
    teammateReadAt: row.teammateReadAt?.toISOString() ?? null,
  };
}

export function presentConversation(row: ConversationRow, turns: TurnRow[]): Conversation {
  return { ...presentToVisitor(row), turns: turns.map((turn) => presentTurn(row.id, turn)) };
}

/** The fields that visitors do not see. */
function presentTools(row: StaffRow) {
  return {
    userId: row.userId,
    userVerified: row.userVerified,
    assigneeId: row.assigneeId,
    teamId: row.teamId,
    priority: row.priority,
    labelIds: row.labelIds,
    snoozed: row.isSnoozed,
    snoozedUntil: row.snoozedUntil?.toISOString() ?? null,
    firstReplyAt: row.firstReplyAt?.toISOString() ?? null,
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    waitingSince: row.waitingSince?.toISOString() ?? null,
    satisfactionScore: row.satisfactionScore,
  };
}

export function presentSummary(row: SummaryRow): ConversationSummary {
  return {
    ...presentToVisitor(row),
    ...presentTools(row),
    lastTurn: row.lastTurn,
    unread: row.lastTurn !== null && row.isUnread,
  };
}

export function presentNote(note: NoteRow): ConversationNote {
  return { ...note, createdAt: note.createdAt.toISOString() };
}

const presentHistory = (entry: HistoryRow): ConversationHistoryEntry => ({
  ...entry,
  at: entry.at.toISOString(),
});

const presentContact = (contact: ContactRow): ConversationContact => ({
  ...contact,
  mailedAt: contact.mailedAt?.toISOString() ?? null,
  unsubscribedAt: contact.unsubscribedAt?.toISOString() ?? null,
  bouncedAt: contact.bouncedAt?.toISOString() ?? null,
});

const presentRating = ({ ratedAt, resolvedAt, ...rating }: RatingRow): ConversationRating => ({
  ...rating,
  ratedAt: ratedAt.toISOString(),
  resolvedAt: resolvedAt.toISOString(),
});

interface StaffContent {
  contact: ContactRow | undefined;
  turns: TurnRow[];
  notes: NoteRow[];
  history: HistoryRow[];
  ratings: RatingRow[];
}

/** Includes the data that visitors do not see, such as the user, the page contexts and the notes. */
export function presentToOperator(
  row: StaffRow,
  { contact, turns, notes, history, ratings }: StaffContent,
): OperatorConversation {
  return {
    ...presentToVisitor(row),
    ...presentTools(row),
    importedFrom: row.importedFrom,
    turns: turns.map((turn) => ({
      ...presentTurn(row.id, turn),
      pageContext: turn.pageContext,
      via: turn.mail === null ? 'messenger' : 'mail',
      mail: turn.mail,
    })),
    contact: contact === undefined ? null : presentContact(contact),
    notes: notes.map(presentNote),
    history: history.map(presentHistory),
    ratings: ratings.map(presentRating),
  };
}
