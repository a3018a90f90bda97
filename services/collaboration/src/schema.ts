import { sql } from 'drizzle-orm';
import {
  check,
  customType,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const dateRange = customType<{ data: string }>({ dataType: () => 'daterange' });

export const annotations = pgTable(
  'annotations',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    /** null: the whole project. */
    reportId: text('report_id'),
    /** The report, or nothing for the whole project: what the range index is searched by. */
    scope: text().notNull().generatedAlwaysAs(sql`coalesce(report_id, '')`),
    startsOn: date('starts_on').notNull(),
    endsOn: date('ends_on').notNull(),
    days: dateRange().notNull().generatedAlwaysAs(sql`daterange(starts_on, ends_on, '[]')`),
    text: text().notNull(),
    tags: text().array().notNull(),
    createdBySub: text('created_by_sub').notNull(),
    createdAt: time('created_at').notNull(),
    updatedAt: time('updated_at').notNull(),
  },
  (table) => [index('annotations_by_days').using('gist', table.projectId, table.scope, table.days)],
);

/** A link that is on, or that has stopped and was not turned off. */
export const publicLinks = pgTable(
  'public_links',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    /** SHA-256 of the token, base64url. */
    tokenHash: text('token_hash').notNull(),
    /** The token, encrypted: see the kit's sealing.ts. */
    sealedToken: text('sealed_token').notNull(),
    createdAt: time('created_at').notNull(),
    expiresOn: date('expires_on').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId] }),
    uniqueIndex('public_links_by_token').on(table.tokenHash),
  ],
);

/** The run of each report that was recorded last. */
export const reportRuns = pgTable(
  'report_runs',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    /** Names this run: its content never changes. */
    runId: text('run_id').notNull(),
    ranAt: time('ran_at').notNull(),
    /** JSON of the report without its cohort. */
    report: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.reportId] })],
);

/** The cohort of a run, apart from the run, so that nothing that serves a link can read it by mistake. */
export const reportRunCohorts = pgTable(
  'report_run_cohorts',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    runId: text('run_id').notNull(),
    /** JSON. */
    cohort: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId] }),
    foreignKey({
      columns: [table.projectId, table.reportId],
      foreignColumns: [reportRuns.projectId, reportRuns.reportId],
    }),
  ],
);

export const threads = pgTable(
  'threads',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    /** JSON; null: the whole report. */
    anchor: text(),
    createdBySub: text('created_by_sub').notNull(),
    createdAt: time('created_at').notNull(),
    resolvedAt: time('resolved_at'),
    resolvedBySub: text('resolved_by_sub'),
  },
  (table) => [index('threads_by_report').on(table.projectId, table.reportId, table.createdAt, table.id)],
);

export const comments = pgTable(
  'comments',
  {
    id: text().primaryKey(),
    threadId: text('thread_id')
      .notNull()
      .references(() => threads.id),
    /** Its place in the thread; the first comment has 1. */
    position: integer().notNull(),
    /** null when deleted. */
    body: text(),
    mentions: text().array().notNull(),
    authorSub: text('author_sub').notNull(),
    createdAt: time('created_at').notNull(),
    editedAt: time('edited_at'),
    deletedAt: time('deleted_at'),
  },
  (table) => [
    uniqueIndex('comments_by_thread').on(table.threadId, table.position),
    check('deleted_without_body', sql`(${table.deletedAt} is null) = (${table.body} is not null)`),
  ],
);

export const reactions = pgTable(
  'reactions',
  {
    commentId: text('comment_id')
      .notNull()
      .references(() => comments.id),
    emoji: text().notNull(),
    sub: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.commentId, table.emoji, table.sub] })],
);

export const shares = pgTable('shares', {
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
  createdAt: time('created_at').notNull(),
});

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
    state: text({ enum: ['waiting', 'sent', 'failed'] })
      .notNull()
      .default('waiting'),
    /** Why it failed, in words. */
    reason: text(),
    settledAt: time('settled_at'),
  },
  (table) => [index('deliveries_by_share').on(table.shareId)],
);

/** Push subscriptions that their push service has called gone. */
export const droppedEndpoints = pgTable('dropped_endpoints', {
  endpoint: text().primaryKey(),
  droppedAt: time('dropped_at').notNull(),
});
