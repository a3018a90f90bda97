import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { timestampMs } from './columns.ts';

export const messages = pgTable(
  'messages',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    title: text().notNull(),
    body: text().notNull(),
    /** If false, the message is only for the people in `recipients`. */
    toEveryone: boolean('to_everyone').notNull(),
    /** When it is sent. Inboxes list it from then on. */
    createdAt: timestampMs('created_at').notNull(),
    /** The number of distinct ids that it was sent to. Null if it is to everyone. */
    recipientCount: integer('recipient_count'),
    /** Whether it is still to be announced at `createdAt`. */
    isWaiting: boolean('is_waiting').notNull().default(false),
  },
  (table) => [
    index('messages_to_everyone')
      .on(table.projectId, table.createdAt, table.id)
      .where(sql`${table.toEveryone}`),
    index('messages_by_time').on(table.projectId, table.createdAt, table.id),
    index('messages_by_age').on(table.createdAt, table.id),
    index('messages_waiting').on(table.createdAt).where(sql`${table.isWaiting}`),
  ],
);

/** Idempotency keys of messages. */
export const messageKeys = pgTable(
  'message_keys',
  {
    projectId: text('project_id').notNull(),
    idempotencyKey: text('idempotency_key').notNull(),
    messageId: text('message_id')
      .notNull()
      .references(() => messages.id),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.idempotencyKey] }),
    index('message_keys_by_message').on(table.messageId),
  ],
);

export const recipients = pgTable(
  'recipients',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    /** Copied from the message, so that the index finds a person's newest messages. */
    createdAt: timestampMs('created_at').notNull(),
    messageId: text('message_id')
      .notNull()
      .references(() => messages.id),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId, table.createdAt, table.messageId] }),
    index('recipients_by_message').on(table.messageId),
  ],
);

export const reads = pgTable(
  'reads',
  {
    projectId: text('project_id').notNull(),
    distinctId: text('distinct_id').notNull(),
    messageId: text('message_id')
      .notNull()
      .references(() => messages.id),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.distinctId, table.messageId] }),
    index('reads_by_message').on(table.messageId),
  ],
);
