import type { SubscriptionSchedule } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** Reports, dashboards and digests of threads that are sent on a schedule. */
export const subscriptions = pgTable(
  'subscriptions',
  {
    projectId: text('project_id').notNull(),
    id: text().notNull(),
    companyId: text('company_id').notNull(),
    targetKind: text('target_kind', { enum: ['report', 'dashboard', 'threads'] }).notNull(),
    /** Empty for a digest of threads. */
    targetId: text('target_id').notNull(),
    schedule: json().$type<SubscriptionSchedule>().notNull(),
    enabled: boolean().notNull(),
    pausedReason: text('paused_reason', { enum: ['unopened', 'unsubscribed'] }),
    /** The next time of the schedule. Null while the subscription is paused. */
    nextAt: time('next_at'),
    /** When the running of the reports began. Null: they do not run. */
    runningSince: time('running_since'),
    /** Whether analytics was asked to run the reports since then. */
    isRequested: boolean('is_requested').notNull().default(false),
    /** When an instance looks at the row next. It postpones this while it works on the row. */
    stepAt: time('step_at'),
    lastSentAt: time('last_sent_at'),
    failedAt: time('failed_at'),
    failure: text(),
    /** The number of mails in a row that no one opened. */
    unopened: integer().notNull().default(0),
    /** Null if the person was erased. */
    createdBySub: text('created_by_sub'),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.id] }),
    index('subscriptions_due').on(table.stepAt).where(sql`${table.stepAt} is not null`),
    index('subscriptions_by_target').on(table.projectId, table.targetKind, table.targetId),
  ],
);

const ofSubscription = () => ({
  projectId: text('project_id').notNull(),
  subscriptionId: text('subscription_id').notNull(),
});

/** The members that a subscription is sent to. A member who has unsubscribed stays, so that others cannot undo it. */
export const subscribers = pgTable(
  'subscribers',
  { ...ofSubscription(), sub: text().notNull(), unsubscribedAt: time('unsubscribed_at') },
  (table) => [
    primaryKey({ columns: [table.projectId, table.subscriptionId, table.sub] }),
    foreignKey({
      columns: [table.projectId, table.subscriptionId],
      foreignColumns: [subscriptions.projectId, subscriptions.id],
    }).onDelete('cascade'),
    index('subscribers_by_sub').on(table.sub),
  ],
);

/** The chat channels that a subscription is sent to. */
export const subscriptionChannels = pgTable(
  'subscription_channels',
  {
    ...ofSubscription(),
    id: text().notNull(),
    /** The channels are in the order in which they were given. */
    position: integer().notNull(),
    kind: text({ enum: ['slack', 'discord', 'teams'] }).notNull(),
    /** The URL, encrypted with LINK_SECRET. */
    encryptedUrl: text('encrypted_url').notNull(),
    /** The URL without its secret, which people see. */
    shortUrl: text('short_url').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.subscriptionId, table.id] }),
    foreignKey({
      columns: [table.projectId, table.subscriptionId],
      foreignColumns: [subscriptions.projectId, subscriptions.id],
    }).onDelete('cascade'),
  ],
);

/**
 * One mail or push of a subscription to a member, or one message to a chat channel. Its job in the queue of deliveries
 * has the same id.
 */
export const subscriptionMails = pgTable(
  'subscription_mails',
  {
    id: text().primaryKey(),
    ...ofSubscription(),
    /** Null for a message to a channel. */
    sub: text(),
    /** Null for a mail or push. */
    channelId: text('channel_id'),
    /** The address of the push subscription. Null for a mail or a message to a channel. */
    endpoint: text(),
    /** When the running of its reports began. */
    runningSince: time('running_since').notNull(),
    /** Whether it says that the subscription is paused because no one opens the mails. */
    isLast: boolean('is_last').notNull(),
    state: text({ enum: ['waiting', 'sent', 'failed', 'skipped'] })
      .notNull()
      .default('waiting'),
    createdAt: time('created_at').notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.projectId, table.subscriptionId],
      foreignColumns: [subscriptions.projectId, subscriptions.id],
    }).onDelete('cascade'),
    index('subscription_mails_by_subscription').on(table.projectId, table.subscriptionId, table.createdAt),
    index('subscription_mails_by_sub').on(table.sub),
    index('subscription_mails_by_age').on(table.createdAt),
  ],
);
