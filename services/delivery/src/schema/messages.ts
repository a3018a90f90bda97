import { sql } from 'drizzle-orm';
import { bigint, foreignKey, index, integer, pgTable, text, unique } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';
import { webhooks } from './webhooks.ts';

/** The messages of webhooks: the queue of those that wait, and the log of the others. */
export const messages = pgTable(
  'messages',
  {
    /** The order of messages. */
    seq: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    projectId: text('project_id').notNull(),
    webhookId: text('webhook_id').notNull(),
    /** Derived from the webhook and the source, so that a source that is read twice has one message. */
    id: text().notNull(),
    type: text().notNull(),
    /** The person, conversation, flag or report that the message is about. */
    subject: text().notNull(),
    body: text().notNull(),
    /** waiting, delivered or failed. */
    state: text().notNull().default('waiting'),
    attempts: integer().notNull().default(0),
    /** While an attempt runs, the time at which it counts as lost. */
    nextAt: time('next_at').notNull(),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.projectId, table.webhookId],
      foreignColumns: [webhooks.projectId, webhooks.id],
    }).onDelete('cascade'),
    unique('messages_once').on(table.projectId, table.webhookId, table.id),
    index('messages_due')
      .on(table.projectId, table.webhookId, table.nextAt, table.seq)
      .where(sql`state = 'waiting'`),
    index('messages_in_order').on(table.projectId, table.webhookId, table.seq).where(sql`state = 'waiting'`),
    index('messages_newest').on(table.projectId, table.webhookId, table.seq),
    index('messages_by_age').on(table.createdAt),
  ],
);

/** The finished attempts to send each message. */
export const attempts = pgTable(
  'attempts',
  {
    id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
    messageSeq: bigint('message_seq', { mode: 'bigint' })
      .notNull()
      .references(() => messages.seq, { onDelete: 'cascade' }),
    at: time('at').notNull(),
    status: integer(),
    error: text(),
    response: text(),
    durationMs: integer('duration_ms').notNull(),
  },
  (table) => [index('attempts_of_message').on(table.messageSeq, table.id)],
);
