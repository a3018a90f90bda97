import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { timestampMs } from './columns.ts';
import { conversations } from './conversations.ts';

/** The browsers of members that get pushes. */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    sub: text().notNull(),
    endpoint: text().notNull(),
    p256dh: text().notNull(),
    auth: text().notNull(),
    /** The VAPID public key that the subscription is bound to. */
    publicKey: text('public_key').notNull(),
    createdAt: timestampMs('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('push_subscriptions_by_endpoint').on(table.endpoint, table.projectId),
    index('push_subscriptions_by_project').on(table.projectId, table.sub),
    index('push_subscriptions_by_sub').on(table.sub),
  ],
);

/** Conversations with a turn of the visitor that is not yet pushed. */
export const waitingPushes = pgTable(
  'waiting_pushes',
  {
    conversationId: text('conversation_id')
      .primaryKey()
      .references(() => conversations.id, { onDelete: 'cascade' }),
    projectId: text('project_id').notNull(),
    dueAt: timestampMs('due_at').notNull(),
    attempts: integer().notNull().default(0),
    /** The subscriptions of a repeated attempt. Null for all. */
    subscriptionIds: text('subscription_ids').array(),
  },
  (table) => [index('waiting_pushes_due').on(table.dueAt)],
);

/** Returns the statement that makes a push due, if anyone in the project gets pushes. */
export const schedulePush = (projectId: string, conversationId: string, at: Date) => sql`
  insert into ${waitingPushes} (conversation_id, project_id, due_at)
  select ${conversationId}, ${projectId}, ${at.toISOString()}::timestamptz
  where exists (select from ${pushSubscriptions} where project_id = ${projectId})
  on conflict (conversation_id) do update set due_at = excluded.due_at, attempts = 0, subscription_ids = null`;
