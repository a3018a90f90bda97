import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { timestampMs } from './columns.ts';
import { conversations } from './conversations.ts';

/**
 * A mail that is due waits first; then the instances are asked whether the visitor is connected to one of them; then
 * it is being sent.
 */
export type MailStage = 'waiting' | 'asked' | 'sending';

/** The mail addresses of conversations, and the next mail to each. */
export const conversationMail = pgTable(
  'conversation_mail',
  {
    conversationId: text('conversation_id')
      .primaryKey()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    email: text().notNull(),
    name: text(),
    source: text().$type<'opening' | 'mail'>().notNull(),
    /** The language of mails to the visitor. */
    language: text().notNull(),
    unsubscribedAt: timestampMs('unsubscribed_at'),
    bouncedAt: timestampMs('bounced_at'),
    bounce: text(),
    mailedAt: timestampMs('mailed_at'),
    /** The position of the last turn that was mailed. */
    mailedPosition: integer('mailed_position').notNull().default(0),
    /** The Message-IDs of the thread: the first one and the latest. */
    messageIds: text('message_ids').array().notNull().default([]),
    /** When the next step of a mail is due. Null if no reply waits to be mailed. */
    dueAt: timestampMs('due_at'),
    stage: text().$type<MailStage>().notNull().default('waiting'),
    attempts: integer().notNull().default(0),
  },
  (table) => [index('conversation_mail_due').on(table.dueAt).where(sql`${table.dueAt} is not null`)],
);
