import { type ConversationChange, MAIL_AFTER_MINUTES, type SupportSettings } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  json,
  pgTable,
  primaryKey,
  text,
} from 'drizzle-orm/pg-core';
import { timestampMs } from './columns.ts';
import { conversations } from './conversations.ts';

/** Teams, labels, saved replies and views. */
export const supportSettings = pgTable(
  'support_settings',
  {
    projectId: text('project_id').primaryKey(),
    version: integer().notNull(),
    settings: json().$type<Pick<SupportSettings, 'teams' | 'labels' | 'savedReplies' | 'views'>>().notNull(),
    /** Apart from the settings, because a turn that reopens a conversation reads it. */
    keepAssigneeDays: integer('keep_assignee_days'),
    /** Apart from the settings, because a reply reads it. Null if replies are not mailed. */
    mailAfterMinutes: integer('mail_after_minutes').default(MAIL_AFTER_MINUTES),
    /** The secret part of the address that opens conversations. Null if mail opens none. */
    mailKey: text('mail_key'),
    /** Whether visitors are asked to rate resolved conversations. Apart, because the question is asked for each visitor. */
    asksSatisfaction: boolean('asks_satisfaction').notNull().default(false),
  },
  (table) => [
    index('support_settings_by_mail_key').on(table.mailKey).where(sql`${table.mailKey} is not null`),
  ],
);

const conversationId = () =>
  text('conversation_id')
    .notNull()
    .references(() => conversations.id, { onDelete: 'cascade' });

export const conversationNotes = pgTable(
  'conversation_notes',
  {
    conversationId: conversationId(),
    id: text().notNull(),
    authorId: text('author_id'),
    /** The name of the author of an imported note. */
    authorName: text('author_name'),
    body: text().notNull(),
    mentions: text().array().notNull(),
    idempotencyKey: text('idempotency_key'),
    createdAt: timestampMs('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.conversationId, table.id] })],
);

/** The conversations with a note that mentions a member. */
export const conversationMentions = pgTable(
  'conversation_mentions',
  {
    projectId: text('project_id').notNull(),
    sub: text().notNull(),
    conversationId: conversationId(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.sub, table.conversationId] }),
    index('conversation_mentions_by_conversation').on(table.conversationId),
  ],
);

/** The last changes of each conversation. */
export const conversationHistory = pgTable(
  'conversation_history',
  {
    conversationId: conversationId(),
    id: text().notNull(),
    at: timestampMs('at').notNull(),
    /** Null for a change by a visitor or a timer. */
    authorId: text('author_id'),
    change: json().$type<ConversationChange>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.conversationId, table.id] })],
);

/** How far each member has read a conversation. */
export const conversationReads = pgTable(
  'conversation_reads',
  {
    conversationId: conversationId(),
    sub: text().notNull(),
    /** The position of the last turn that the member has seen. */
    position: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.conversationId, table.sub] })],
);

/** The last resolutions of each conversation, with the visitors' ratings. */
export const conversationResolutions = pgTable(
  'conversation_resolutions',
  {
    conversationId: conversationId(),
    projectId: text('project_id').notNull(),
    resolvedAt: timestampMs('resolved_at').notNull(),
    /** When the conversation was opened, or opened again. */
    openedAt: timestampMs('opened_at').notNull(),
    /** From 1 to 5. Null until the visitor rates the resolution. */
    score: integer(),
    comment: text(),
    /** When the visitor first rated the resolution. */
    ratedAt: timestampMs('rated_at'),
  },
  (table) => [
    primaryKey({ columns: [table.conversationId, table.resolvedAt] }),
    index('conversation_resolutions_by_time').on(table.projectId, table.resolvedAt),
    index('conversation_resolutions_by_rating')
      .on(table.projectId, table.ratedAt)
      .where(sql`${table.ratedAt} is not null`),
  ],
);

const countColumns = () => ({
  projectId: text('project_id').notNull(),
  /** Empty for the count of all conversations, with and without labels. */
  labelId: text('label_id').notNull(),
  /** open or pending. */
  status: text().notNull(),
  snoozed: boolean().notNull(),
  /** Empty for no one. */
  assigneeId: text('assignee_id').notNull(),
  /** Empty for no team. */
  teamId: text('team_id').notNull(),
  priority: text().notNull(),
});

/** The numbers of unresolved conversations. */
export const conversationCounts = pgTable(
  'conversation_counts',
  { ...countColumns(), count: bigint({ mode: 'number' }).notNull() },
  (table) => [
    primaryKey({
      name: 'conversation_counts_pk',
      columns: [
        table.projectId,
        table.labelId,
        table.status,
        table.snoozed,
        table.assigneeId,
        table.teamId,
        table.priority,
      ],
    }),
    index('conversation_counts_empty').on(table.projectId).where(sql`${table.count} = 0`),
  ],
);

/** Changes that a trigger adds, until they are added to the counts: turns then never wait for a count's row. */
export const conversationCountChanges = pgTable(
  'conversation_count_changes',
  { id: bigserial({ mode: 'bigint' }).primaryKey(), ...countColumns(), change: integer().notNull() },
  (table) => [index('conversation_count_changes_by_project').on(table.projectId)],
);

/** The advisory lock held while changes are added to the counts. */
export const COUNTS_LOCK = 7_201_904;
