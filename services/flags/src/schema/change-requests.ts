import type { FlagEntry, FlagPatch } from '@switchboard/contracts';
import { sql } from 'drizzle-orm';
import { boolean, index, integer, json, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Changes of flags that wait for approvals, and the last closed ones of each project. */
export const changeRequests = pgTable(
  'change_requests',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    key: text().notNull(),
    /** The version of the flag that the request changes. */
    version: integer().notNull(),
    /** The state of the flag at that version. Null: it did not exist. */
    before: json().$type<FlagEntry>(),
    /** The proposed state. Null: the flag is deleted. */
    after: json().$type<FlagEntry>(),
    /** The time to make the change. Null: at the last approval. */
    at: time('at'),
    /** The properties that a scheduled change replaces. Null: all of them. */
    patch: json().$type<FlagPatch>(),
    reason: text(),
    /** Null if erased. */
    author: text(),
    /** The id of the personal or service token of the request. */
    tokenId: text('token_id'),
    /** Whether an access token of the request grants it in every company. */
    everywhere: boolean().notNull(),
    createdAt: time('created_at').notNull().defaultNow(),
    expiresAt: time('expires_at').notNull(),
    /** Null: the request waits, or expired. */
    closedAs: text('closed_as').$type<'approved' | 'rejected' | 'withdrawn'>(),
    closedAt: time('closed_at'),
    /** Null if the flag changed, or if erased. */
    closedBy: text('closed_by'),
    note: text(),
    /** Whether the author has read the outcome. */
    isRead: boolean('is_read').notNull().default(false),
  },
  (table) => [
    index('change_requests_by_project').on(table.projectId, table.createdAt, table.id),
    index('change_requests_waiting').on(table.projectId, table.key).where(sql`${table.closedAs} is null`),
    index('change_requests_by_author').on(table.author),
    index('change_requests_by_closer').on(table.closedBy),
  ],
);

export const changeApprovals = pgTable(
  'change_approvals',
  {
    requestId: text('request_id')
      .notNull()
      .references(() => changeRequests.id, { onDelete: 'cascade' }),
    sub: text().notNull(),
    /** The id of the personal token of the approval. */
    tokenId: text('token_id'),
    /** Whether an access token of the approval grants it in every company. */
    everywhere: boolean().notNull(),
    at: time('at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.requestId, table.sub] }),
    index('change_approvals_by_sub').on(table.sub),
  ],
);
