import { sql } from 'drizzle-orm';
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

export const threads = pgTable(
  'threads',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    /** JSON. Null: the whole report. */
    anchor: text(),
    createdBySub: text('created_by_sub').notNull(),
    createdAt: time('created_at').notNull(),
    resolvedAt: time('resolved_at'),
    resolvedBySub: text('resolved_by_sub'),
  },
  (table) => [
    index('threads_by_report').on(table.projectId, table.reportId, table.createdAt, table.id),
    index('threads_by_age').on(table.createdAt, table.id),
  ],
);

export const comments = pgTable(
  'comments',
  {
    id: text().primaryKey(),
    threadId: text('thread_id')
      .notNull()
      .references(() => threads.id),
    /** The position in the thread, from 1. */
    position: integer().notNull(),
    /** Null once the comment is deleted. */
    body: text(),
    mentions: text().array().notNull(),
    authorSub: text('author_sub').notNull(),
    createdAt: time('created_at').notNull(),
    editedAt: time('edited_at'),
    deletedAt: time('deleted_at'),
  },
  (table) => [
    uniqueIndex('comments_by_thread').on(table.threadId, table.position),
    index('comments_by_author').on(table.authorSub, table.createdAt),
    index('comments_by_mention').using('gin', table.mentions),
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

/** When a person last listed the threads of a report. */
export const threadReads = pgTable(
  'thread_reads',
  {
    projectId: text('project_id').notNull(),
    reportId: text('report_id').notNull(),
    sub: text().notNull(),
    readAt: time('read_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.reportId, table.sub] }),
    index('thread_reads_by_sub').on(table.sub),
  ],
);
