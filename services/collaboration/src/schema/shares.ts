import { sql } from 'drizzle-orm';
import { index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** Shared reports, and comments that mention people. */
export const shares = pgTable(
  'shares',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    companyId: text('company_id').notNull(),
    reportId: text('report_id').notNull(),
    reportName: text('report_name').notNull(),
    senderSub: text('sender_sub').notNull(),
    senderName: text('sender_name').notNull(),
    note: text(),
    link: text().notNull(),
    language: text().notNull(),
    idempotencyKey: text('idempotency_key'),
    /** The comment that mentions the recipients. Its text is read when the message is sent. */
    commentId: text('comment_id'),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    uniqueIndex('shares_once')
      .on(table.projectId, table.reportId, table.senderSub, table.idempotencyKey)
      .where(sql`${table.idempotencyKey} is not null`),
    index('shares_by_comment').on(table.commentId).where(sql`${table.commentId} is not null`),
    index('shares_by_age').on(table.createdAt, table.id),
    index('shares_by_report').on(table.projectId, table.reportId),
  ],
);

/** One message to one recipient: an e-mail, or a push to one of their subscriptions. */
export const deliveries = pgTable(
  'deliveries',
  {
    id: text().primaryKey(),
    shareId: text('share_id')
      .notNull()
      .references(() => shares.id),
    recipientSub: text('recipient_sub').notNull(),
    channel: text({ enum: ['email', 'push'] }).notNull(),
    /** The push subscription's endpoint. */
    endpoint: text(),
    state: text({ enum: ['waiting', 'sent', 'failed', 'skipped'] })
      .notNull()
      .default('waiting'),
    /** The reason for a failed or skipped delivery. */
    reason: text(),
    settledAt: time('settled_at'),
  },
  (table) => [
    index('deliveries_by_share').on(table.shareId),
    index('deliveries_waiting').on(table.recipientSub).where(sql`${table.state} = 'waiting'`),
  ],
);

/** Push subscriptions that their push service reported as gone. */
export const droppedEndpoints = pgTable(
  'dropped_endpoints',
  {
    endpoint: text().primaryKey(),
    droppedAt: time('dropped_at').notNull(),
  },
  (table) => [index('dropped_endpoints_by_age').on(table.droppedAt)],
);
