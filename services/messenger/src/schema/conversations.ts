import type {
  AttachmentType,
  AuthorKind,
  ConversationPriority,
  ConversationStatus,
  ImportedFrom,
  PageContext,
  TurnMail,
} from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { boolean, index, integer, json, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { timestampMs, tsvector } from './columns.ts';

/** Searches scan all pending entries. With 128 kB of them, inserts cost the same as with the default of 4 MB. */
const FEW_PENDING = { gin_pending_list_limit: 128 };

/** The hash of a conversation without a valid token. No token has it. */
export const NO_TOKEN = '';

export const conversations = pgTable(
  'conversations',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    subject: text(),
    status: text().$type<ConversationStatus>().notNull().default('open'),
    userId: text('user_id'),
    /** Whether a userHash verified userId when the conversation was opened. */
    userVerified: boolean('user_verified').notNull(),
    /** SHA-256 of the token, so that reading the database gives no access. */
    tokenHash: text('token_hash').notNull(),
    tokenExpiresAt: timestampMs('token_expires_at').notNull(),
    /** The number of turns. A new turn locks the row and takes its position from it. */
    turnCount: integer('turn_count').notNull().default(0),
    /** The bytes of the turns' texts. Turns sent before this column existed are not counted. */
    turnBytes: integer('turn_bytes').notNull().default(0),
    createdAt: timestampMs('created_at').notNull(),
    lastTurnAt: timestampMs('last_turn_at').notNull(),
    assigneeId: text('assignee_id'),
    teamId: text('team_id'),
    priority: text().$type<ConversationPriority>().notNull().default('normal'),
    labelIds: text('label_ids').array().notNull().default([]),
    isSnoozed: boolean('is_snoozed').notNull().default(false),
    /** Null if the conversation is snoozed until the visitor writes. */
    snoozedUntil: timestampMs('snoozed_until'),
    firstReplyAt: timestampMs('first_reply_at'),
    resolvedAt: timestampMs('resolved_at'),
    /** The time of the last turn that the visitor has seen. */
    visitorReadAt: timestampMs('visitor_read_at'),
    /** The time of the last turn that a teammate has read. */
    teammateReadAt: timestampMs('teammate_read_at'),
    /** When the visitor wrote the first turn that is not answered. Null if none waits for an answer. */
    waitingSince: timestampMs('waiting_since'),
    /** When a visitor's turn last opened the conversation again. */
    reopenedAt: timestampMs('reopened_at'),
    /** The visitor's latest rating, from 1 to 5. */
    satisfactionScore: integer('satisfaction_score'),
    /** The product that the conversation was imported from. */
    importedFrom: text('imported_from').$type<ImportedFrom>(),
    /** The position of the last imported turn, up to which no member has anything to read. */
    importedTurns: integer('imported_turns'),
  },
  (table) => [
    index('conversations_latest_by_assignee')
      .on(table.projectId, table.assigneeId, table.lastTurnAt, table.id)
      .where(sql`${table.assigneeId} is not null`),
    index('conversations_latest_by_team')
      .on(table.projectId, table.teamId, table.lastTurnAt, table.id)
      .where(sql`${table.teamId} is not null`),
    index('conversations_latest_by_priority')
      .on(table.projectId, table.priority, table.lastTurnAt, table.id)
      .where(sql`${table.priority} <> 'normal'`),
    index('conversations_snoozed')
      .on(table.projectId, table.lastTurnAt, table.id)
      .where(sql`${table.isSnoozed}`),
    index('conversations_waiting')
      .on(table.projectId, table.waitingSince, table.id)
      .where(sql`${table.waitingSince} is not null`),
    index('conversations_by_satisfaction')
      .on(table.projectId, table.lastTurnAt, table.id)
      .where(sql`${table.satisfactionScore} is not null`),
    index('conversations_by_creation').on(table.projectId, table.createdAt),
    index('conversations_by_first_reply')
      .on(table.projectId, table.firstReplyAt)
      .where(sql`${table.firstReplyAt} is not null`),
    index('conversations_to_wake').on(table.snoozedUntil).where(sql`${table.isSnoozed}`),
    index('conversations_by_label')
      .using('gin', table.labelIds)
      .with(FEW_PENDING)
      .where(sql`${table.labelIds} <> '{}'`),
    index('conversations_latest').on(table.projectId, table.lastTurnAt, table.id),
    index('conversations_latest_by_status').on(table.projectId, table.status, table.lastTurnAt, table.id),
    index('conversations_by_age').on(table.lastTurnAt, table.id),
    index('conversations_latest_by_distinct_id').on(table.projectId, table.distinctId, table.lastTurnAt),
    index('conversations_latest_by_user')
      .on(table.projectId, table.userId, table.lastTurnAt, table.id)
      .where(sql`${table.userVerified}`),
  ],
);

/** Tokens of a verified user's other devices, besides the token of the device that opened the conversation. */
export const conversationTokens = pgTable(
  'conversation_tokens',
  {
    conversationId: text('conversation_id')
      .notNull()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    /** SHA-256 of the token. */
    tokenHash: text('token_hash').notNull(),
    expiresAt: timestampMs('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.conversationId, table.tokenHash] })],
);

export const turns = pgTable(
  'turns',
  {
    conversationId: text('conversation_id')
      .notNull()
      .references(() => conversations.id),
    position: integer().notNull(),
    id: text().notNull(),
    authorKind: text('author_kind').$type<AuthorKind>().notNull(),
    authorId: text('author_id'),
    /** The name of the author of an imported turn. */
    authorName: text('author_name'),
    body: text().notNull(),
    pageContext: json('page_context').$type<PageContext>(),
    idempotencyKey: text('idempotency_key'),
    createdAt: timestampMs('created_at').notNull(),
    /** How the turn came by mail. Null if it was sent in the messenger. */
    mail: json().$type<TurnMail>(),
    /** The words of the body for searches, and marks of the project and its weeks. Null before this column existed. */
    words: tsvector(),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.position] }),
    index('turns_by_word').using('gin', table.words).with(FEW_PENDING),
    uniqueIndex('turns_once')
      .on(table.conversationId, table.idempotencyKey)
      .where(sql`${table.idempotencyKey} is not null`),
  ],
);

export const attachments = pgTable(
  'attachments',
  {
    id: text().primaryKey(),
    conversationId: text('conversation_id')
      .notNull()
      .references(() => conversations.id),
    objectKey: text('object_key').notNull(),
    name: text().notNull(),
    contentType: text('content_type').$type<AttachmentType>().notNull(),
    bytes: integer().notNull(),
    createdAt: timestampMs('created_at').notNull(),
    /** Whether the object is written. The row comes first, so that no object is ever without a row. */
    isStored: boolean('is_stored').notNull().default(false),
    /** Set by the sweep before it removes the object. The attachment can then no longer be sent. */
    isExpired: boolean('is_leaving').notNull().default(false),
    /** The turn it was sent with. */
    turnPosition: integer('turn_position'),
    /** The position among the attachments of the turn. */
    place: integer(),
  },
  (table) => [
    index('attachments_by_turn').on(table.conversationId, table.turnPosition),
    index('attachments_unsent').on(table.createdAt).where(sql`${table.turnPosition} is null`),
  ],
);

/** Assigns attachments to the turn. Returns false if one is another conversation's, not stored, or already sent. */
export async function claimAttachments(
  tx: Tx,
  { conversationId, attachmentIds }: { conversationId: string; attachmentIds: readonly string[] },
  position: number,
): Promise<boolean> {
  if (attachmentIds.length === 0) return true;
  const wanted = sql`unnest(${sql.param(attachmentIds)}::text[]) with ordinality as wanted(id, place)`;
  const claimed = await tx
    .update(attachments)
    .set({ turnPosition: position, place: sql`wanted.place` })
    .from(wanted)
    .where(
      and(
        eq(attachments.id, sql`wanted.id`),
        eq(attachments.conversationId, conversationId),
        sql`${attachments.turnPosition} is null and ${attachments.isStored} and not ${attachments.isExpired}`,
      ),
    )
    .returning({ id: attachments.id });
  return claimed.length === attachmentIds.length;
}

/** The columns of a conversation that its visitor may see. */
export const conversationColumns = {
  id: conversations.id,
  distinctId: conversations.distinctId,
  subject: conversations.subject,
  status: conversations.status,
  userId: conversations.userId,
  userVerified: conversations.userVerified,
  createdAt: conversations.createdAt,
  lastTurnAt: conversations.lastTurnAt,
  visitorReadAt: conversations.visitorReadAt,
  teammateReadAt: conversations.teammateReadAt,
};

/** The columns that staff sees. */
export const staffColumns = {
  ...conversationColumns,
  assigneeId: conversations.assigneeId,
  teamId: conversations.teamId,
  priority: conversations.priority,
  labelIds: conversations.labelIds,
  isSnoozed: conversations.isSnoozed,
  snoozedUntil: conversations.snoozedUntil,
  firstReplyAt: conversations.firstReplyAt,
  resolvedAt: conversations.resolvedAt,
  waitingSince: conversations.waitingSince,
  satisfactionScore: conversations.satisfactionScore,
  importedFrom: conversations.importedFrom,
};

export const sizeColumns = {
  turnCount: conversations.turnCount,
  turnBytes: conversations.turnBytes,
};

/** Selects the conversations of a verified user. */
export const ofVerifiedUser = (projectId: string, userId: string) =>
  and(eq(conversations.projectId, projectId), eq(conversations.userId, userId), conversations.userVerified);

/**
 * The new expiry of a token: `expiresAt`, but at most `maxDays` after the conversation was opened. A token that has
 * expired by `now` stays expired.
 */
export interface TokenRenewal {
  now: Date;
  expiresAt: Date;
  maxDays: number;
}

/** Returns the later expiry of a token that has not expired. */
export function expiryRenewed({ now, expiresAt, maxDays }: Record<keyof TokenRenewal, SQL>): SQL {
  const latest = sql`${conversations.createdAt} + make_interval(days => ${maxDays}::int)`;
  const isUnexpired = sql`${conversations.tokenExpiresAt} > ${now}::timestamptz`;
  return sql`case when ${isUnexpired} then least(${expiresAt}::timestamptz, ${latest})
    else ${conversations.tokenExpiresAt} end`;
}
